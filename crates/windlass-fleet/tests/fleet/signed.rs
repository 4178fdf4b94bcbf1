//! Credentials as operators sign them: JWTs, for a server that knows only its operator.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use nkeys::KeyPair;
use serde_json::{Value, json};

/// Long ago, and in another century: no clock is asked.
pub const EXPIRED: u64 = 1_000_000;
pub const LASTING: u64 = 4_102_444_800;

/// An operator with an account that may keep things, and one that the system itself needs.
pub struct Signed {
    operator: KeyPair,
    system: KeyPair,
    account: KeyPair,
}

impl Signed {
    pub fn new() -> Signed {
        Signed {
            operator: KeyPair::new_operator(),
            system: KeyPair::new_account(),
            account: KeyPair::new_account(),
        }
    }

    /// What the server's configuration says of them.
    pub fn configuration(&self) -> String {
        let operator =
            token(&self.operator, &self.operator, None, &json!({ "type": "operator", "version": 2 }));
        let account = |key: &KeyPair, storage: i64| {
            let limits = json!({
                "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1, "leaf": -1,
                "mem_storage": storage, "disk_storage": storage, "streams": storage, "consumer": storage
            });
            let claims = json!({ "type": "account", "version": 2, "limits": limits });
            format!("{}: \"{}\"", key.public_key(), token(key, &self.operator, None, &claims))
        };
        format!(
            "operator: \"{operator}\"\nsystem_account: {}\nresolver: MEMORY\nresolver_preload: {{ {}\n {} }}\n",
            self.system.public_key(),
            account(&self.account, -1),
            account(&self.system, 0)
        )
    }

    /// A file of credentials of a user of the account, which expire at a second since 1970.
    pub fn credentials(&self, folder: &Path, expires: u64) -> PathBuf {
        let user = KeyPair::new_user();
        let claims = json!({ "type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1 });
        let jwt = token(&user, &self.account, Some(expires), &claims);
        let path = folder.join(format!("{expires}.creds"));
        let text = format!(
            "-----BEGIN NATS USER JWT-----\n{jwt}\n------END NATS USER JWT------\n\n\
             -----BEGIN USER NKEY SEED-----\n{}\n------END USER NKEY SEED------\n",
            user.seed().unwrap()
        );
        std::fs::write(&path, text).unwrap();
        path
    }
}

fn token(subject: &KeyPair, issuer: &KeyPair, expires: Option<u64>, claims: &Value) -> String {
    let mut all = json!({
        "jti": subject.public_key(), "iat": 1, "iss": issuer.public_key(), "name": "tests", "sub": subject.public_key(),
        "nats": claims
    });
    if let Some(expires) = expires {
        all["exp"] = expires.into();
    }
    let header = json!({ "typ": "JWT", "alg": "ed25519-nkey" });
    let encoded = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let signed = format!("{}.{}", encoded(&header), encoded(&all));
    let signature = URL_SAFE_NO_PAD.encode(issuer.sign(signed.as_bytes()).unwrap());
    format!("{signed}.{signature}")
}
