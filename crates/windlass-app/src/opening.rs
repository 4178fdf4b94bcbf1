//! A file, shown by the person's browser.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use windlass_host::process::Command;

use crate::app::App;
use crate::error::{AppError, Kind};

/// Whatever opens files, where `BROWSER` names nothing.
const OPENER: &str = "xdg-open";

/// Starts it apart, so that a browser that stays is neither waited for nor ended with us, and says how it ended where that is soon.
const APART: &str = r#""$1" "$2" >/dev/null 2>&1 & sleep 1; kill -0 $! 2>/dev/null || wait $!"#;

impl App {
    /// Shows a file or an address in the browser: that of `$BROWSER`, else what `xdg-open` starts.
    ///
    /// # Errors
    /// There is none, or it says that it cannot.
    pub fn open_in_browser(&self, what: &Path) -> Result<(), AppError> {
        let opener = opener(env::var_os("BROWSER"), env::var_os("PATH"))?;
        let started = Command::new("/bin/sh")
            .arguments(["-c", APART, "sh"])
            .arguments([opener.as_path(), what])
            .directory(self.directory())
            .run();
        match started {
            Ok(output) if output.succeeded() => Ok(()),
            Ok(output) => Err(failed(&opener, what, &output.ended.in_words())),
            Err(error) => Err(failed(&opener, what, &error.to_string())),
        }
    }
}

fn failed(opener: &Path, what: &Path, why: &str) -> AppError {
    let message = format!("{} does not open {}: {why}", opener.display(), what.display());
    AppError::new(Kind::System, message).hint("Name a browser: BROWSER=firefox windlass report --open")
}

/// The first program of the list that is there.
fn opener(browsers: Option<OsString>, path: Option<OsString>) -> Result<PathBuf, AppError> {
    let named = browsers.unwrap_or_default().to_string_lossy().into_owned();
    let named = named.split(':').map(str::trim).filter(|name| !name.is_empty() && !name.contains('%'));
    let all: Vec<String> = named.map(str::to_owned).chain([OPENER.to_owned()]).collect();
    let folders: Vec<PathBuf> =
        env::split_paths(&path.unwrap_or_default()).filter(|folder| folder.is_absolute()).collect();
    let there = |name: &String| {
        let places = folders.iter().map(|folder| folder.join(name));
        // outside: the system's programs.
        places.into_iter().find(|program| program.is_file())
    };
    all.iter().find_map(there).ok_or_else(|| {
        AppError::new(Kind::System, "there is no browser here: neither `$BROWSER` nor `xdg-open` names one")
            .hint("Write it to a file and take that elsewhere: windlass report --html report.html")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_browser_that_is_there_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let path = Some(folder.path().as_os_str().to_owned());
        let missing = opener(Some("firefox".into()), path.clone()).unwrap_err();
        assert!(missing.message.contains("no browser"), "{}", missing.message);
        std::fs::write(folder.path().join("xdg-open"), "").unwrap();
        assert_eq!(opener(Some("firefox".into()), path.clone()).unwrap(), folder.path().join("xdg-open"));
        std::fs::write(folder.path().join("lynx"), "").unwrap();
        assert_eq!(opener(Some("firefox:lynx".into()), path.clone()).unwrap(), folder.path().join("lynx"));
        assert!(opener(None, Some("relative:".into())).is_err());
    }
}
