//! Published versions: what the checksums of a release name, which of it is for a machine, and whose business an update is.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// A version: three numbers, compared from the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    major: u32,
    minor: u32,
    patch: u32,
}

impl FromStr for Version {
    type Err = ();

    /// Versions that are tried out before they are released (`1.2.3-rc.1`) are nobody's update.
    fn from_str(text: &str) -> Result<Version, ()> {
        let mut numbers = text.split('.').map(|number| number.parse().map_err(|_| ()));
        let mut next = || numbers.next().ok_or(())?;
        let version = Version { major: next()?, minor: next()?, patch: next()? };
        if numbers.next().is_none() { Ok(version) } else { Err(()) }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// What a program runs on.
#[derive(Clone, Copy, Debug)]
pub struct Machine<'a> {
    /// As the compiler names it: `x86_64`.
    pub architecture: &'a str,
    /// The C libraries with which a program may be built for it, the best first: `musl`, `gnu`.
    pub libraries: &'a [&'a str],
}

/// An archive that a release has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The version in it.
    pub version: Version,
    /// Its file's name.
    pub archive: String,
    /// Its checksum: 64 hexadecimal digits.
    pub sha256: String,
}

impl Listed {
    /// The archive for a machine among checksums in the form of `sha256sum`; the newest where there are several.
    pub fn find(sums: &str, machine: &Machine<'_>) -> Option<Listed> {
        let with = |library: &&str| {
            let ending = format!("-{}-unknown-linux-{library}.tar.gz", machine.architecture);
            sums.lines().filter_map(|line| listed(line, &ending)).max_by_key(|listed| listed.version)
        };
        machine.libraries.iter().find_map(with)
    }
}

fn listed(line: &str, ending: &str) -> Option<Listed> {
    let (sha256, archive) = line.split_once("  ")?;
    let version = archive.strip_prefix("windlass-")?.strip_suffix(ending)?.parse().ok()?;
    let is_sum = sha256.len() == 64 && sha256.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_sum.then(|| Listed { version, archive: archive.to_owned(), sha256: sha256.to_ascii_lowercase() })
}

/// Who installed a program, and updates it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Manager {
    /// Its name.
    pub name: &'static str,
    /// What a person types to have the program updated by it.
    pub command: &'static str,
}

/// Who installed the program at this place, where that shows; `None` for one that a person put there.
pub fn manager_of(program: &Path) -> Option<Manager> {
    let within = |folder: &str| program.components().any(|part| part.as_os_str() == folder);
    let manager = |name, command| Some(Manager { name, command });
    if within("node_modules") {
        manager("npm", "npm install -g ./windlass-linux-x64-VERSION.tgz")
    } else if program.starts_with("/nix/store") || program.starts_with("/gnu/store") {
        manager("the system's configuration", "its own update")
    } else if program.starts_with("/usr") && !program.starts_with("/usr/local") || program.starts_with("/bin")
    {
        manager("the distribution's package manager", "sudo apt install ./windlass_VERSION_amd64.deb")
    } else if within(".cargo") {
        manager("cargo", "cargo install --locked --path crates/windlass")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUM: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

    #[test]
    fn versions_are_compared_by_their_numbers() {
        let version = |text: &str| text.parse::<Version>();
        assert!(version("0.10.0").unwrap() > version("0.9.12").unwrap());
        assert_eq!(version("1.2.3").unwrap().to_string(), "1.2.3");
        for text in ["", "1.2", "1.2.3.4", "1.2.3-rc.1", "v1.2.3", "1.-2.3"] {
            assert_eq!(version(text), Err(()), "{text}");
        }
    }

    #[test]
    fn the_archive_for_a_machine_is_found_and_the_best_library_first() {
        let sums = format!(
            "{SUM}  install.sh\n{SUM}  windlass-0.2.0-x86_64-unknown-linux-gnu.tar.gz\n\
             {SUM}  windlass-0.2.0-x86_64-unknown-linux-musl.tar.gz\n\
             {SUM}  windlass-0.2.0-aarch64-unknown-linux-gnu.tar.gz\n\
             {SUM}  windlass-0.3.0-aarch64-unknown-linux-gnu.tar.gz\nshort  windlass-0.4.0-aarch64-unknown-linux-gnu.tar.gz\n"
        );
        let found = |architecture: &str, libraries: &[&str]| {
            Listed::find(&sums, &Machine { architecture, libraries }).map(|listed| listed.archive)
        };
        assert_eq!(
            found("x86_64", &["musl", "gnu"]).unwrap(),
            "windlass-0.2.0-x86_64-unknown-linux-musl.tar.gz"
        );
        assert_eq!(
            found("aarch64", &["musl", "gnu"]).unwrap(),
            "windlass-0.3.0-aarch64-unknown-linux-gnu.tar.gz"
        );
        assert_eq!(found("aarch64", &["musl"]), None);
        assert_eq!(found("riscv64", &["musl", "gnu"]), None);
    }

    #[test]
    fn whose_business_an_update_is_shows_in_the_programs_place() {
        for (place, manager) in [
            ("/home/ada/.local/bin/windlass", None),
            ("/usr/local/bin/windlass", None),
            ("/opt/windlass/bin/windlass", None),
            ("/usr/bin/windlass", Some("the distribution's package manager")),
            ("/home/ada/.cargo/bin/windlass", Some("cargo")),
            ("/usr/lib/node_modules/windlass-linux-x64/bin/windlass", Some("npm")),
            ("/nix/store/x-windlass/bin/windlass", Some("the system's configuration")),
        ] {
            assert_eq!(manager_of(Path::new(place)).map(|manager| manager.name), manager, "{place}");
        }
    }
}
