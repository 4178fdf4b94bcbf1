//! Who was let in: codes that let a browser in once, what a browser is known by then, and the token for figures.
//!
//! Each is a file named after the SHA-256 of its secret, so that no secret is on the disk, none is compared, and a code is used up
//! in one step: whoever removes its file had it.
//!
//! ```text
//! STATE/web/                       0700, files 0600
//!   codes/<digest>                 when it ends
//!   browsers/<digest of cookie>    the digest of its key, its name, when it was let in
//!   figures/<digest of token>
//! ```

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use windlass_app::{AppError, Kind};
use windlass_host::file;

use crate::own_files;

/// So long a code lets a browser in.
pub const CODE_LIFE: Duration = Duration::from_mins(10);

/// So long a browser is known that was let in.
pub const BROWSER_LIFE: Duration = Duration::from_hours(24 * 30);

/// Bytes of a secret: 128 bits.
const SECRET: usize = 16;

/// Browsers that are known at the same time; the oldest is forgotten for another one.
const MOST_BROWSERS: usize = 64;

/// What the page knows its visitors by.
#[derive(Clone, Debug)]
pub struct Keyring {
    folder: PathBuf,
}

/// A browser that was let in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// The digest of its key.
    key: String,
    /// What it calls itself.
    pub browser: String,
    /// When it was let in.
    since: Timestamp,
}

impl Session {
    /// Is this its key?
    pub fn is_opened_by(&self, key: &str) -> bool {
        // Digests are compared: how far they are alike says nothing of the key.
        !key.is_empty() && file::digest(key.as_bytes()) == self.key
    }
}

/// What a browser gets that is let in: the cookie reads, the key acts.
#[derive(Debug)]
pub struct LetIn {
    /// For the cookie.
    pub cookie: String,
    /// For its storage.
    pub key: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Code {
    until: Timestamp,
}

impl Keyring {
    /// In this folder, which is made where it is not there.
    pub fn at(folder: &Path) -> Result<Keyring, AppError> {
        for name in ["codes", "browsers", "figures"] {
            file::create_private_folder(&folder.join(name)).map_err(AppError::system)?;
        }
        Ok(Keyring { folder: folder.to_owned() })
    }

    /// A new code. Those that nobody used are removed.
    pub fn issue_code(&self, now: Timestamp) -> Result<String, AppError> {
        self.tidy(now);
        let code = secret()?;
        self.keep("codes", &code, &Code { until: now + CODE_LIFE })?;
        Ok(code)
    }

    /// Lets a browser in that has a code; `None` where the code is unknown, used or too old.
    pub fn let_in(&self, code: &str, browser: &str, now: Timestamp) -> Result<Option<LetIn>, AppError> {
        let path = self.path("codes", code);
        let Some(bytes) = file::read_if_there(&path).map_err(AppError::system)? else { return Ok(None) };
        // Only one of two that come at the same time removes it.
        if fs::remove_file(&path).is_err() {
            return Ok(None);
        }
        let read: Option<Code> = serde_json::from_slice(&bytes).ok();
        if read.is_none_or(|code| code.until < now) {
            return Ok(None);
        }
        let (cookie, key) = (secret()?, secret()?);
        let session = Session { key: file::digest(key.as_bytes()), browser: browser.to_owned(), since: now };
        self.keep("browsers", &cookie, &session)?;
        Ok(Some(LetIn { cookie, key }))
    }

    /// The browser of this cookie.
    pub fn session(&self, cookie: &str) -> Option<Session> {
        let session: Session = own_files::read(&self.path("browsers", cookie))?;
        (session.since + BROWSER_LIFE > Timestamp::now()).then_some(session)
    }

    /// No browser is known any more, and no token; says how many there were.
    pub fn forget_all(&self) -> Result<usize, AppError> {
        let mut forgotten = 0;
        for name in ["codes", "browsers", "figures"] {
            for path in own_files::in_folder(&self.folder.join(name)) {
                fs::remove_file(&path).map_err(|source| {
                    AppError::system(file::FileError { action: "remove", path: path.clone(), source })
                })?;
                forgotten += usize::from(name == "browsers");
            }
        }
        Ok(forgotten)
    }

    /// A new token for figures.
    pub fn issue_token(&self) -> Result<String, AppError> {
        let token = secret()?;
        self.keep("figures", &token, &Timestamp::now())?;
        Ok(token)
    }

    /// Is this a token for figures?
    pub fn counts(&self, token: &str) -> bool {
        file::read_if_there(&self.path("figures", token)).is_ok_and(|found| found.is_some())
    }

    fn path(&self, kind: &str, secret: &str) -> PathBuf {
        self.folder.join(kind).join(file::digest(secret.as_bytes()))
    }

    fn keep(&self, kind: &str, secret: &str, value: &impl Serialize) -> Result<(), AppError> {
        own_files::write(&self.path(kind, secret), value)
    }

    /// Removes what is over. What cannot be removed lets nobody in all the same.
    fn tidy(&self, now: Timestamp) {
        for path in own_files::in_folder(&self.folder.join("codes")) {
            let code: Option<Code> = own_files::read(&path);
            if code.is_none_or(|code| code.until < now) {
                let _ = fs::remove_file(path);
            }
        }
        let browsers = own_files::in_folder(&self.folder.join("browsers")).into_iter();
        let mut browsers: Vec<(Option<Timestamp>, PathBuf)> = browsers
            .map(|path| (own_files::read::<Session>(&path).map(|session| session.since), path))
            .collect();
        browsers.sort();
        let too_many = browsers.len().saturating_sub(MOST_BROWSERS);
        for (number, (since, path)) in browsers.into_iter().enumerate() {
            if number < too_many || since.is_none_or(|since| since + BROWSER_LIFE < now) {
                let _ = fs::remove_file(path);
            }
        }
    }
}

/// 128 bits that nobody can guess, in hexadecimal.
pub fn secret() -> Result<String, AppError> {
    let mut bytes = [0; SECRET];
    getrandom::fill(&mut bytes)
        .map_err(|error| AppError::new(Kind::System, format!("the system gives no random bytes: {error}")))?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_lets_one_browser_in_and_is_on_no_disk() {
        let folder = tempfile::tempdir().unwrap();
        let keyring = Keyring::at(folder.path()).unwrap();
        let now = Timestamp::now();
        let code = keyring.issue_code(now).unwrap();
        assert_eq!(code.len(), 32);
        assert!(keyring.let_in("0000", "b", now).unwrap().is_none());
        let LetIn { cookie, key } = keyring.let_in(&code, "b", now).unwrap().unwrap();
        assert!(keyring.let_in(&code, "b", now).unwrap().is_none(), "once");
        let session = keyring.session(&cookie).unwrap();
        assert!(session.is_opened_by(&key) && !session.is_opened_by(&cookie) && !session.is_opened_by(""));
        assert_eq!(keyring.session(&key), None);
        assert!(!keyring.counts(&cookie) && !keyring.counts(&key), "figures have a token of their own");
        let all = own_files::in_folder(&folder.path().join("browsers"));
        let written = [all[0].to_string_lossy().into_owned(), fs::read_to_string(&all[0]).unwrap()].concat();
        for secret in [&code, &cookie, &key] {
            assert!(!written.contains(secret.as_str()), "{written}");
        }
        assert_eq!(keyring.forget_all().unwrap(), 1);
        assert_eq!(keyring.session(&cookie), None);
    }

    #[test]
    fn a_code_that_is_too_old_lets_nobody_in() {
        let folder = tempfile::tempdir().unwrap();
        let keyring = Keyring::at(folder.path()).unwrap();
        let now = Timestamp::now();
        let code = keyring.issue_code(now).unwrap();
        assert!(keyring.let_in(&code, "b", now + CODE_LIFE + Duration::from_secs(1)).unwrap().is_none());
        assert!(keyring.let_in(&code, "b", now).unwrap().is_none(), "used up");
    }

    #[test]
    fn a_token_counts_and_does_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let keyring = Keyring::at(folder.path()).unwrap();
        let token = keyring.issue_token().unwrap();
        assert!(keyring.counts(&token) && !keyring.counts("") && keyring.session(&token).is_none());
    }
}
