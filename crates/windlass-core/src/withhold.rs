//! What is held back from commits until a person says otherwise: files that look like secrets, and large ones.

use std::fmt;

use crate::redact::keys;

/// So much of a content is looked at, in bytes.
pub const LOOKED_AT: usize = 1024 * 1024;

/// Why a file is held back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Its name is one that secrets have.
    Name,
    /// It holds a key that it did not hold before.
    Key,
    /// It is larger than `commit.large_file`, in bytes.
    Large(u64),
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MEGABYTE: u64 = 1024 * 1024;
        match self {
            Reason::Name => formatter.write_str("its name is that of a secret"),
            Reason::Key => formatter.write_str("it holds what looks like a key"),
            Reason::Large(size) if *size < MEGABYTE => write!(formatter, "{} kB", size.div_ceil(1024)),
            Reason::Large(size) => write!(formatter, "{} MB", size.div_ceil(MEGABYTE)),
        }
    }
}

/// Names that belong to secrets and to nothing else.
const NAMES: [&str; 13] = [
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "credentials.json",
    ".git-credentials",
    ".netrc",
    "_netrc",
    ".htpasswd",
    ".pgpass",
    ".pypirc",
    ".dockercfg",
    "application_default_credentials.json",
];

/// Endings that belong to secrets.
const ENDINGS: [&str; 8] = [".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk", ".key", ".tfstate"];

/// Endings of `.env` files that show which variables there are, and hold none of them.
const EXAMPLES: [&str; 6] = [".example", ".sample", ".template", ".dist", ".defaults", ".schema"];

/// Does a file of this name, new to the repository, look like a secret? `content` is its beginning; some names are also
/// those of harmless files.
pub fn looks_secret(path: &str, content: &[u8]) -> bool {
    let path = path.to_ascii_lowercase();
    let name = path.rsplit('/').next().unwrap_or_default();
    let holds = |words: &[&str]| {
        let text = String::from_utf8_lossy(content);
        words.iter().any(|word| text.contains(word))
    };
    let (_, extension) = name.rsplit_once('.').unwrap_or(("", ""));
    let environment = extension == "env" || name.starts_with(".env.") || name == ".envrc";
    if environment {
        return !EXAMPLES.iter().any(|ending| name.ends_with(ending));
    }
    if NAMES.contains(&name) || ENDINGS.iter().any(|ending| name.ends_with(ending)) {
        return true;
    }
    match name {
        ".npmrc" | ".yarnrc" | ".yarnrc.yml" => holds(&["_authToken", "_password", "_auth=", "npmAuthToken"]),
        "credentials" => path.ends_with(".aws/credentials"),
        // Certificates are for everybody.
        _ if extension == "pem" => {
            !holds(&["-----BEGIN CERTIFICATE", "-----BEGIN PUBLIC KEY"]) || holds(&["PRIVATE KEY"])
        }
        _ => false,
    }
}

/// Does a content hold a key that the one before it did not hold? The first [`LOOKED_AT`] bytes of both count.
pub fn brings_a_key(before: &[u8], after: &[u8]) -> bool {
    let text = |bytes| String::from_utf8_lossy(beginning(bytes)).into_owned();
    let after = text(after);
    let found = keys(&after);
    if found.is_empty() {
        return false;
    }
    let before = text(before);
    let known = keys(&before);
    found.iter().any(|key| !known.contains(key))
}

/// What is looked at of a content.
pub fn beginning(content: &[u8]) -> &[u8] {
    content.get(..LOOKED_AT).unwrap_or(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_known() {
        for path in [
            ".env",
            "app/.env.local",
            ".ENV",
            "prod.env",
            ".envrc",
            "keys/id_rsa",
            "id_ed25519",
            "server.p12",
            "a/b/Credentials.json",
            ".aws/credentials",
            "tls/server.key",
        ] {
            assert!(looks_secret(path, b""), "{path}");
        }
        for path in [
            "src/env.rs",
            ".env.example",
            ".env.sample",
            "environment",
            "id_rsa.pub",
            "docs/credentials.md",
            "credentials",
            ".npmrc",
            "keyboard.ts",
            "monkey",
        ] {
            assert!(!looks_secret(path, b""), "{path}");
        }
    }

    #[test]
    fn some_names_are_secrets_by_what_is_in_them() {
        let certificate = b"-----BEGIN CERTIFICATE-----\nMII\n";
        assert!(!looks_secret("ca.pem", certificate));
        assert!(looks_secret("key.pem", b"-----BEGIN PRIVATE KEY-----\nMII\n"));
        assert!(looks_secret("both.pem", b"-----BEGIN CERTIFICATE-----\n-----BEGIN RSA PRIVATE KEY-----\n"));
        assert!(looks_secret("unknown.pem", b"\x30\x82"));
        assert!(looks_secret(".npmrc", b"//registry.npmjs.org/:_authToken=x\n"));
        assert!(!looks_secret(".npmrc", b"save-exact=true\n"));
    }

    #[test]
    fn a_key_counts_when_it_is_new() {
        let (one, two) = (b"t = AKIAIOSFODNN7EXAMPLE\n".as_slice(), b"u = AKIAJ7XV3PQ2MNBTR5WA\n".as_slice());
        assert!(brings_a_key(b"", one));
        assert!(brings_a_key(one, two));
        assert!(!brings_a_key(one, &[one, b"more\n"].concat()));
        assert!(!brings_a_key(one, b"nothing\n"));
        let behind = [vec![b' '; LOOKED_AT], one.to_vec()].concat();
        assert!(!brings_a_key(b"", &behind), "what is looked at is bounded");
    }

    #[test]
    fn reasons_are_words() {
        assert_eq!(Reason::Large(12 * 1024 * 1024).to_string(), "12 MB");
        assert_eq!(Reason::Large(1500).to_string(), "2 kB");
        assert_eq!(Reason::Key.to_string(), "it holds what looks like a key");
    }
}
