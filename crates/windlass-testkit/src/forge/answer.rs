//! What the API answers.

use serde_json::{Value, json};

/// An answer of the API.
#[derive(Clone, Debug)]
pub struct ForgeResponse {
    pub status: u16,
    pub body: Body,
}

#[derive(Clone, Debug)]
pub enum Body {
    Json(Value),
    Text(String),
    /// See another address.
    Elsewhere(String),
}

impl ForgeResponse {
    pub fn json(status: u16, body: Value) -> ForgeResponse {
        ForgeResponse { status, body: Body::Json(body) }
    }

    /// As GitHub words what it refuses.
    pub fn refused(status: u16, message: &str) -> ForgeResponse {
        ForgeResponse::json(
            status,
            json!({ "message": message, "documentation_url": "https://docs.github.com/rest" }),
        )
    }

    /// The same with details.
    pub fn invalid(detail: &str) -> ForgeResponse {
        let body = json!({ "message": "Validation Failed", "errors": [{ "message": detail }] });
        ForgeResponse::json(422, body)
    }

    /// An answer of GraphQL.
    pub fn data(data: &Value) -> ForgeResponse {
        ForgeResponse::json(200, json!({ "data": data }))
    }

    /// What GraphQL says of an error.
    pub fn error(kind: &str, message: &str) -> ForgeResponse {
        ForgeResponse::json(200, json!({ "data": null, "errors": [{ "type": kind, "message": message }] }))
    }
}
