//! Which question or order a request is.

use serde_json::Value;

use super::answer::ForgeResponse;
use super::http::Request;
use super::state::State;
use super::{NAME, OWNER, TOKEN, graphql, rest};

/// The name of a query, or method and path within the repository without numbers: `PUT pulls/N/merge`.
pub fn name_of(request: &Request) -> String {
    if is_graphql(request) {
        return graphql::name_of(&body(request));
    }
    let path = within(request).unwrap_or(&request.path);
    let steps = path.split('/').map(|step| if step.parse::<u64>().is_ok() { "N" } else { step });
    format!("{} {}", request.method, steps.collect::<Vec<_>>().join("/"))
}

/// What it is answered.
pub fn answer(state: &mut State, request: &Request) -> ForgeResponse {
    let login = request.header("authorization").unwrap_or_default();
    if request.path.starts_with("/elsewhere/") {
        // Behind a redirect to another host, a login has no place; over the socket all hosts are this one.
        return rest::log(state, request.path.trim_start_matches("/elsewhere/"));
    }
    if login != format!("token {TOKEN}") && login != format!("Bearer {TOKEN}") {
        return ForgeResponse::refused(401, "Bad credentials");
    }
    if is_graphql(request) {
        return graphql::answer(state, &body(request));
    }
    match within(request) {
        Some(path) => rest::answer(state, &request.method, path, &request.query, &body(request)),
        None => ForgeResponse::refused(404, "Not Found"),
    }
}

fn is_graphql(request: &Request) -> bool {
    matches!(request.path.as_str(), "/graphql" | "/api/graphql")
}

fn body(request: &Request) -> Value {
    serde_json::from_slice(&request.body).unwrap_or_default()
}

/// The path within the repository; `None` where it is of something else.
fn within(request: &Request) -> Option<&str> {
    let path = request.path.strip_prefix("/api/v3").unwrap_or(&request.path);
    path.strip_prefix(&format!("/repos/{OWNER}/{NAME}/"))
}
