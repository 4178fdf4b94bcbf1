//! Which address answers what. Whatever reads files does so on a thread of its own.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::header::{CACHE_CONTROL, SET_COOKIE, USER_AGENT};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode};
use axum::routing::{get, post};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use windlass_app::AppError;
use windlass_core::values::{CallId, RunId};
use windlass_ui::one_line;

use crate::acting;
use crate::assets;
use crate::door::keyring::BROWSER_LIFE;
use crate::live;
use crate::metrics;
use crate::names::{Ordinal, RunName};
use crate::pages::{self, Place, Viewer};
use crate::response::{self, Response};
use crate::server::Remote;
use crate::site::Site;

/// Bytes of what is asked.
const LONGEST_BODY: usize = 64 * 1024;

/// So long a browser may take to say it all.
const BODY_PATIENCE: std::time::Duration = std::time::Duration::from_secs(5);

/// Longest name of a browser that is kept.
const LONGEST_BROWSER: usize = 200;

type Served = State<Arc<Site>>;

/// What stands in an address, where it is what has to stand there.
type At<T> = Result<Path<T>, PathRejection>;

/// All addresses.
pub fn routes(site: Arc<Site>) -> Router {
    Router::new()
        .route("/", get(night))
        .route("/runs", get(runs))
        .route("/projects", get(projects))
        .route("/r/{run}", get(run))
        .route("/r/{run}/report", get(report))
        .route("/r/{run}/numbers", get(numbers))
        .route("/r/{run}/tasks", get(tasks))
        .route("/r/{run}/i/{iteration}", get(iteration))
        .route("/r/{run}/i/{iteration}/{tab}", get(tab))
        .route("/r/{run}/c/{call}", get(transcript))
        .route("/r/{run}/c/{call}/raw", get(raw))
        .route("/r/{run}/act", post(act))
        .route("/session", post(session))
        .route("/live", get(live_night))
        .route("/live/r/{run}", get(live_run))
        .route("/live/r/{run}/c/{call}", get(live_call))
        .route("/metrics", get(figures))
        .route("/assets/{name}", get(asset))
        .fallback(nothing)
        .method_not_allowed_fallback(wrong_method)
        .with_state(site)
}

async fn nothing(State(site): Served, request: Request) -> Response {
    reading(site, request, |_, _| Ok(None)).await
}

async fn wrong_method() -> Response {
    response::text(StatusCode::METHOD_NOT_ALLOWED, "this address is asked for otherwise\n")
}

async fn asset(Path(name): Path<String>) -> Response {
    let Some((kind, content)) = assets::find(&name) else {
        return response::text(StatusCode::NOT_FOUND, "there is no such file\n");
    };
    let mut answer = response::with_body(StatusCode::OK, kind, content);
    // Its address changes with its content.
    answer
        .headers_mut()
        .insert(CACHE_CONTROL, HeaderValue::from_static("private, max-age=31536000, immutable"));
    answer
}

/// A page for whoever was let in; the way in for others. `None` = there is no such page.
async fn reading(
    site: Arc<Site>,
    request: Request,
    make: impl FnOnce(&Site, &Viewer) -> Result<Option<Response>, AppError> + Send + 'static,
) -> Response {
    let (parts, _) = request.into_parts();
    if site.door.reader(&parts.headers).is_none() {
        return response::page(StatusCode::UNAUTHORIZED, pages::way_in());
    }
    let viewer = Viewer::of(&site, &parts);
    let answered = tokio::task::spawn_blocking(move || match make(&site, &viewer) {
        Ok(Some(answer)) => answer,
        Ok(None) => response::page(StatusCode::NOT_FOUND, pages::nothing(&viewer)),
        Err(error) => response::page(response::status_of(&error), pages::trouble(&viewer, &error)),
    });
    answered.await.unwrap_or_else(|_| failed())
}

fn failed() -> Response {
    response::text(StatusCode::INTERNAL_SERVER_ERROR, "this page could not be made\n")
}

fn shown(markup: maud::Markup) -> Response {
    response::page(StatusCode::OK, markup)
}

async fn night(State(site): Served, request: Request) -> Response {
    reading(site, request, |site, viewer| Ok(Some(shown(pages::night::page(site, viewer)?)))).await
}

async fn runs(State(site): Served, request: Request) -> Response {
    reading(site, request, |site, viewer| Ok(Some(shown(pages::night::all(site, viewer)?)))).await
}

async fn projects(State(site): Served, request: Request) -> Response {
    reading(site, request, |site, viewer| Ok(Some(shown(pages::projects::page(site, viewer)?)))).await
}

async fn run(State(site): Served, path: At<RunName>, request: Request) -> Response {
    let place = path.ok().map(|Path(RunName(run))| run);
    reading(site, request, move |site, viewer| of_run(place, |run| pages::run::page(site, viewer, run))).await
}

async fn report(State(site): Served, path: At<RunName>, request: Request) -> Response {
    let place = path.ok().map(|Path(RunName(run))| run);
    reading(site, request, move |site, viewer| of_run(place, |run| pages::report::page(site, viewer, run)))
        .await
}

async fn numbers(State(site): Served, path: At<RunName>, request: Request) -> Response {
    let place = path.ok().map(|Path(RunName(run))| run);
    reading(site, request, move |site, viewer| of_run(place, |run| pages::numbers::page(site, viewer, run)))
        .await
}

async fn tasks(State(site): Served, path: At<RunName>, request: Request) -> Response {
    let place = path.ok().map(|Path(RunName(run))| run);
    reading(site, request, move |site, viewer| of_run(place, |run| pages::tasks::page(site, viewer, run)))
        .await
}

fn of_run(
    run: Option<RunId>,
    make: impl FnOnce(&RunId) -> Result<Option<maud::Markup>, AppError>,
) -> Result<Option<Response>, AppError> {
    let Some(run) = run else { return Ok(None) };
    Ok(make(&run)?.map(shown))
}

async fn iteration(State(site): Served, path: At<(RunName, Ordinal)>, request: Request) -> Response {
    let place = path.ok().map(|Path((RunName(run), Ordinal(number)))| (run, number));
    reading(site, request, move |site, viewer| {
        of_iteration(site, viewer, place, Some(pages::iteration::Tab::Summary))
    })
    .await
}

async fn tab(State(site): Served, path: At<(RunName, Ordinal, String)>, request: Request) -> Response {
    let tab = path.as_ref().ok().and_then(|Path((_, _, tab))| tab.parse().ok());
    let place = path.ok().map(|Path((RunName(run), Ordinal(number), _))| (run, number));
    reading(site, request, move |site, viewer| of_iteration(site, viewer, place, tab)).await
}

fn of_iteration(
    site: &Site,
    viewer: &Viewer,
    place: Option<(RunId, u32)>,
    tab: Option<pages::iteration::Tab>,
) -> Result<Option<Response>, AppError> {
    let (Some((run, number)), Some(tab)) = (place, tab) else { return Ok(None) };
    Ok(pages::iteration::page(site, viewer, &Place { run, number }, tab)?.map(shown))
}

type CallPath = At<(RunName, Ordinal)>;

fn call_of(path: CallPath) -> Option<(RunId, CallId)> {
    path.ok().map(|Path((RunName(run), Ordinal(call)))| (run, CallId(call)))
}

async fn transcript(State(site): Served, path: CallPath, request: Request) -> Response {
    let place = call_of(path);
    reading(site, request, move |site, viewer| {
        let Some((run, call)) = place else { return Ok(None) };
        Ok(pages::transcript::page(site, viewer, (&run, call))?.map(shown))
    })
    .await
}

async fn raw(State(site): Served, path: CallPath, request: Request) -> Response {
    let place = call_of(path);
    reading(site, request, move |site, viewer| {
        let Some((run, call)) = place else { return Ok(None) };
        pages::transcript::raw(site, viewer, (&run, call))
    })
    .await
}

async fn live_night(State(site): Served, request: Request) -> Response {
    streaming(site, request, Some(live::Subject::Night))
}

async fn live_run(State(site): Served, path: At<RunName>, request: Request) -> Response {
    let subject = path.ok().map(|Path(RunName(run))| live::Subject::Run(run));
    streaming(site, request, subject)
}

async fn live_call(State(site): Served, path: CallPath, request: Request) -> Response {
    let subject = call_of(path).map(|(run, call)| live::Subject::Call(run, call));
    streaming(site, request, subject)
}

fn streaming(site: Arc<Site>, request: Request, subject: Option<live::Subject>) -> Response {
    let (parts, _) = request.into_parts();
    if site.door.reader(&parts.headers).is_none() {
        return response::text(StatusCode::UNAUTHORIZED, "this browser was not let in\n");
    }
    match subject {
        Some(subject) => live::stream(site, &parts, subject),
        None => response::text(StatusCode::NOT_FOUND, "there is no such page\n"),
    }
}

async fn figures(State(site): Served, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    if let Err(refusal) = site.door.counter(&parts.headers) {
        return response::refusal(refusal);
    }
    let made = tokio::task::spawn_blocking(move || metrics::answer(&site));
    made.await.unwrap_or_else(|_| failed())
}

/// What a browser says that wants to be let in.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WayIn {
    code: String,
}

/// What it gets: the key for its storage; the cookie goes by itself.
#[derive(Serialize)]
struct Key {
    key: String,
}

async fn session(State(site): Served, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    if let Err(refusal) = site.door.own_post(&parts) {
        return response::refusal(refusal);
    }
    let Some(WayIn { code }) = said(body).await else { return not_understood() };
    let browser = browser(&parts);
    let is_https =
        parts.headers.get("origin").is_some_and(|origin| origin.as_bytes().starts_with(b"https://"));
    let cookie_name = site.door.cookie_name();
    let made =
        tokio::task::spawn_blocking(move || site.door.keyring.let_in(&code, &browser, Timestamp::now()));
    let let_in = match made.await {
        Ok(Ok(Some(let_in))) => let_in,
        Ok(Ok(None)) => {
            return response::text(
                StatusCode::UNAUTHORIZED,
                "this link was used, or is older than ten minutes\n",
            );
        }
        Ok(Err(error)) => return response::text(response::status_of(&error), format!("{error}\n")),
        Err(_) => return failed(),
    };
    let mut answer = response::json(StatusCode::OK, &Key { key: let_in.key });
    let secure = if is_https { "; Secure" } else { "" };
    let cookie = format!(
        "{cookie_name}={}; Path=/; HttpOnly; SameSite=Strict; Max-Age={}{secure}",
        let_in.cookie,
        BROWSER_LIFE.as_secs()
    );
    if let Ok(value) = HeaderValue::try_from(cookie) {
        answer.headers_mut().insert(SET_COOKIE, value);
    }
    answer
}

/// What a browser calls itself, and where it is.
fn browser(parts: &Parts) -> String {
    let name = parts.headers.get(USER_AGENT).and_then(|name| name.to_str().ok()).unwrap_or("a browser");
    let name: String = one_line(name).chars().take(LONGEST_BROWSER).collect();
    let from = parts.extensions.get::<Remote>().map(|Remote(remote)| remote.ip().to_string());
    format!("{name} at {}", from.unwrap_or_default())
}

/// A body of JSON, of a bounded length, said in time.
async fn said<T: for<'a> Deserialize<'a>>(body: Body) -> Option<T> {
    let bytes = tokio::time::timeout(BODY_PATIENCE, to_bytes(body, LONGEST_BODY)).await.ok()?.ok()?;
    serde_json::from_slice(&bytes).ok()
}

fn not_understood() -> Response {
    response::text(StatusCode::BAD_REQUEST, "this cannot be read\n")
}

async fn act(State(site): Served, path: At<RunName>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    if let Err(refusal) = site.door.actor(&parts) {
        return response::refusal(refusal);
    }
    let Ok(Path(RunName(run))) = path else {
        return response::text(StatusCode::NOT_FOUND, "there is no such run\n");
    };
    let Some(wanted) = said::<acting::Wanted>(body).await else { return not_understood() };
    let by = browser(&parts);
    let made = tokio::task::spawn_blocking(move || acting::act(&site, &run, &wanted, &by));
    made.await.unwrap_or_else(|_| failed())
}
