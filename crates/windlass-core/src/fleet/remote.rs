//! The git remote that a fleet's commits can travel through.

use std::net::Ipv6Addr;

/// The longest address.
const LONGEST: usize = 2000;

/// What is said of an address that is none.
const NONE: &str = "is no address of a git remote; write one such as `ssh://git@example.org/night.git`, `git@example.org:night.git`, \
                    `https://example.org/night.git` or `file:///srv/night.git`";

/// What is said of one that holds a secret.
const SECRET: &str = "holds credentials; leave them to git: a credential helper, or a key of SSH";

/// An address that git can be told: of HTTPS, SSH or a folder of this machine, without a password, and never an option or a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteUrl(String);

impl RemoteUrl {
    /// Reads one.
    ///
    /// # Errors
    /// What is wrong with it, as the rest of a sentence that does not repeat it: it may hold a password.
    pub fn parse(text: &str) -> Result<RemoteUrl, &'static str> {
        if text.len() > LONGEST || text.chars().any(char::is_control) || !decodes_to_text(text) {
            return Err(NONE);
        }
        match text.split_once("://") {
            Some(("https", rest)) => of_web(rest)?,
            Some(("ssh", rest)) => of_shell(rest)?,
            Some(("file", path)) if path.starts_with('/') && !path.trim_matches('/').is_empty() => {}
            None => short(text)?,
            Some((_, rest)) => return Err(if rest.contains('@') { SECRET } else { NONE }),
        }
        Ok(RemoteUrl(text.to_owned()))
    }

    /// As git is told it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// `example.org/night.git`. Whoever is named before an `@` may be a token, and what stands behind a `?` as well.
fn of_web(rest: &str) -> Result<(), &'static str> {
    let (authority, path) = rest.split_once('/').ok_or(NONE)?;
    if authority.contains('@') || path.contains(['?', '#']) {
        return Err(SECRET);
    }
    let is_plain = !path.is_empty() && path.chars().all(|letter| letter.is_ascii_graphic());
    if is_plain && is_host(authority) { Ok(()) } else { Err(NONE) }
}

/// `git@example.org:22/night.git`.
fn of_shell(rest: &str) -> Result<(), &'static str> {
    let (authority, path) = rest.split_once('/').ok_or(NONE)?;
    if !path.is_empty() && is_host(without_user(authority)?) { Ok(()) } else { Err(NONE) }
}

/// `git@example.org:night.git`. What has two colons is a command to git.
fn short(text: &str) -> Result<(), &'static str> {
    let (authority, path) = text.split_once(':').ok_or(NONE)?;
    if authority.contains('/') || path.is_empty() || path.starts_with(['-', ':']) {
        return Err(NONE);
    }
    // The password of `user:password@host`.
    if !authority.contains('@') && path.contains('@') {
        return Err(SECRET);
    }
    if is_name(without_user(authority)?) { Ok(()) } else { Err(NONE) }
}

fn without_user(authority: &str) -> Result<&str, &'static str> {
    let Some((user, host)) = authority.rsplit_once('@') else { return Ok(authority) };
    if user.contains(':') {
        return Err(SECRET);
    }
    if is_name(user) { Ok(host) } else { Err(NONE) }
}

/// A host's name or number, and perhaps a port.
fn is_host(authority: &str) -> bool {
    let (is_sound, port) = if let Some(rest) = authority.strip_prefix('[') {
        let Some((number, port)) = rest.split_once(']') else { return false };
        (number.parse::<Ipv6Addr>().is_ok(), port)
    } else {
        let (host, port) = authority.split_at(authority.find(':').unwrap_or(authority.len()));
        (is_name(host), port)
    };
    is_sound && (port.is_empty() || port.strip_prefix(':').is_some_and(is_port))
}

fn is_port(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<u16>().is_ok()
}

/// Nothing that a program would take for an option.
fn is_name(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    text.bytes().all(plain) && text.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric())
}

/// Does each `%` stand for a byte that may be in a line?
fn decodes_to_text(text: &str) -> bool {
    text.split('%').skip(1).all(|rest| {
        let byte = rest.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        byte.is_some_and(|byte| byte >= b' ' && byte != 0x7f)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_https_ssh_and_folders_are_taken_as_they_are() {
        for text in [
            "https://example.org/night.git",
            "https://example.org:8443/a/b%20c.git",
            "https://[2001:db8::1]:443/night.git",
            "ssh://git@example.org/night.git",
            "ssh://example.org:2222/~tess/night.git",
            "git@example.org:team/night.git",
            "build_host:night.git",
            "file:///srv/git/night of the 🚀.git",
        ] {
            assert_eq!(
                RemoteUrl::parse(text).map(|url| url.as_str().to_owned()),
                Ok(text.to_owned()),
                "{text}"
            );
        }
    }

    #[test]
    fn commands_options_and_what_is_not_encrypted_are_refused() {
        for text in [
            "",
            "/srv/git/night.git",
            "../night.git",
            "night",
            "ext::sh -c touch% /tmp/x",
            "ext::ssh://example.org/x",
            "fd::17",
            "-uhack",
            "--upload-pack=touch /tmp/x",
            "-oProxyCommand=touch:x",
            "ssh://-oProxyCommand=touch/x",
            "ssh://git@-oProxyCommand=touch/x",
            "ssh://-l@example.org/x",
            "example.org:-x",
            "example.org:",
            "ssh://example.org",
            "https://example.org/",
            "https:///night.git",
            "https://example.org:port/x",
            "https://exa mple.org/x",
            "http://example.org/night.git",
            "git://example.org/night.git",
            "git+ssh://example.org/night.git",
            "file://example.org/night.git",
            "file:///",
            "https://example.org/a%0ab",
            "ssh://example.org/a%00b",
            "https://example.org/a%zz",
            "https://example.org/a\nb",
            "https://[::1/x",
            "https://[example.org]/x",
        ] {
            assert_eq!(RemoteUrl::parse(text), Err(NONE), "{text:?}");
        }
    }

    #[test]
    fn what_may_be_a_password_is_left_to_git_and_never_repeated() {
        for text in [
            "https://tess:hunter2@example.org/night.git",
            "https://hunter2@example.org/night.git",
            "https://example.org/night.git?token=hunter2",
            "https://example.org/night.git#hunter2",
            "ssh://tess:hunter2@example.org/night.git",
            "tess:hunter2@example.org:night.git",
            "http://tess:hunter2@example.org/night.git",
        ] {
            assert_eq!(RemoteUrl::parse(text), Err(SECRET), "{text:?}");
        }
        assert!(!NONE.contains("hunter2") && !SECRET.contains("hunter2"));
    }
}
