//! Which repository of which forge a remote of git's is. Pure.

use windlass_core::forge::RepositoryName;

/// The longest name of an owner or a repository, in bytes; forges allow 100 at most.
const LONGEST_NAME: usize = 100;

/// The longest host, in bytes (RFC 1035).
const LONGEST_HOST: usize = 253;

/// Why a remote is not a repository of a forge. It does not hold the remote itself, which may hold a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RemoteError {
    /// A folder, or a bundle.
    #[error("the remote is on this machine, not on a forge")]
    Local,
    /// Neither `https://HOST/OWNER/NAME` nor `git@HOST:OWNER/NAME`.
    #[error("the remote is not of the form https://HOST/OWNER/NAME or git@HOST:OWNER/NAME")]
    Shape,
    /// Something in it that no forge has in a name.
    #[error("`{0}` is not a name that a forge has")]
    Name(String),
}

/// Which repository a remote is: `https://github.com/owner/name.git`, `ssh://git@host:22/owner/name`,
/// `git@host:owner/name.git`. Names and passwords in it are left out, ports of ssh too.
pub fn parse_remote(remote: &str) -> Result<RepositoryName, RemoteError> {
    let remote = remote.trim();
    let (host, path) = match remote.split_once("://") {
        Some(("https" | "http" | "git+https", rest)) => split_host(rest, PortPolicy::Kept)?,
        Some(("ssh" | "git" | "git+ssh", rest)) => split_host(rest, PortPolicy::Dropped)?,
        Some(("file", _)) => return Err(RemoteError::Local),
        Some(_) => return Err(RemoteError::Shape),
        None => scp_like(remote)?,
    };
    // How GitHub is reached where port 22 is closed.
    let host = if host == "ssh.github.com" { "github.com".to_owned() } else { host };
    let path = path.trim_matches('/');
    let (owner, name) = path.split_once('/').ok_or(RemoteError::Shape)?;
    if name.contains('/') {
        return Err(RemoteError::Shape);
    }
    named(&host, owner, name.strip_suffix(".git").unwrap_or(name))
}

/// A repository by its names, which a person may have given.
pub fn named(host: &str, owner: &str, name: &str) -> Result<RepositoryName, RemoteError> {
    let host = host.to_ascii_lowercase();
    let (machine, port) = host.split_once(':').unwrap_or((&host, "0"));
    let sound = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
    let is_host = !machine.is_empty()
        && machine.len() <= LONGEST_HOST
        && machine.bytes().all(sound)
        && !machine.starts_with(['-', '.'])
        && port.parse::<u16>().is_ok();
    if !is_host {
        return Err(RemoteError::Name(shown(&host)));
    }
    for part in [owner, name] {
        if !is_name(part) {
            return Err(RemoteError::Name(shown(part)));
        }
    }
    Ok(RepositoryName { host: host.clone(), owner: owner.to_owned(), name: name.to_owned() })
}

/// Letters, digits, `-`, `_` and `.`; not an option, and not a step in a path.
fn is_name(name: &str) -> bool {
    let sound = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    !name.is_empty()
        && name.len() <= LONGEST_NAME
        && name.bytes().all(sound)
        && !name.starts_with('-')
        && !matches!(name, "." | "..")
}

/// What becomes of a port.
#[derive(Clone, Copy)]
enum PortPolicy {
    /// The forge is there.
    Kept,
    /// It is git's alone.
    Dropped,
}

/// `user:password@host:port/path`.
fn split_host(rest: &str, ports: PortPolicy) -> Result<(String, &str), RemoteError> {
    let (authority, path) = rest.split_once('/').ok_or(RemoteError::Shape)?;
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = match (ports, host.split_once(':')) {
        (PortPolicy::Dropped, Some((host, _))) => host,
        _ => host,
    };
    Ok((host.to_ascii_lowercase(), path))
}

/// `git@host:owner/name`; without a host it is a folder.
fn scp_like(remote: &str) -> Result<(String, &str), RemoteError> {
    let (host, path) = remote.split_once(':').ok_or(RemoteError::Local)?;
    if host.contains('/') {
        return Err(RemoteError::Local);
    }
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    Ok((host.to_ascii_lowercase(), path))
}

/// Enough of it to be known again.
fn shown(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(40).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(remote: &str) -> String {
        parse_remote(remote).map_or_else(|error| error.to_string(), |name| name.to_string())
    }

    // rows: 85
    #[test]
    fn the_forms_that_people_have_are_read() {
        for remote in [
            "https://github.com/Own-er/na.me.git",
            "https://github.com/Own-er/na.me/",
            "https://tess:secret@GitHub.com/Own-er/na.me",
            "git@github.com:Own-er/na.me.git",
            "github.com:Own-er/na.me",
            "ssh://git@github.com/Own-er/na.me.git",
            "ssh://git@ssh.github.com:443/Own-er/na.me.git",
            "git://github.com/Own-er/na.me",
        ] {
            assert_eq!(read(remote), "github.com/Own-er/na.me", "{remote}");
        }
        assert_eq!(read("https://git.example.org:8443/o/r"), "git.example.org:8443/o/r");
        assert_eq!(read("ssh://git@git.example.org:2222/o/r"), "git.example.org/o/r");
    }

    #[test]
    fn what_is_not_on_a_forge_is_refused() {
        for folder in ["/srv/git/r.git", "../r", "file:///srv/r.git", "./a:b/c"] {
            assert_eq!(parse_remote(folder), Err(RemoteError::Local), "{folder}");
        }
        for shape in ["https://github.com/r", "https://github.com/a/b/c", "ftp://h/o/r", "git@h:r"] {
            assert_eq!(parse_remote(shape), Err(RemoteError::Shape), "{shape}");
        }
        for name in ["https://h/-o/r", "https://h/o/..", "git@-h:o/r", "https://h/o/r?x=1", "https://h/o/r\n"]
        {
            let read = parse_remote(name);
            assert!(matches!(read, Err(RemoteError::Name(_)) | Ok(_)), "{name}: {read:?}");
        }
        assert!(matches!(parse_remote("https://h/-o/r"), Err(RemoteError::Name(_))));
        assert!(matches!(parse_remote("https://h/o/r?x=1"), Err(RemoteError::Name(_))));
    }

    proptest! {
        #[test]
        fn a_password_is_in_no_answer(password in "[a-z0-9]{12}", rest in "[ -~]{0,30}") {
            let remote = format!("https://tess:{password}@{rest}");
            let shown = format!("{:?}", parse_remote(&remote));
            prop_assert!(!shown.contains(&password));
        }

        #[test]
        fn whatever_is_read_is_read_the_same_again(remote in "\\PC{0,60}") {
            if let Ok(name) = parse_remote(&remote) {
                prop_assert_eq!(parse_remote(&format!("https://{name}")), Ok(name));
            }
        }
    }
}
