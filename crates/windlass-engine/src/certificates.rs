//! Which certificate authorities HTTPS trusts: those that a person names, else those of this machine, else those that are built in.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use ureq::Error;
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};

/// Names a file of certificates, to OpenSSL, curl and Python as well: its authorities are trusted, and no others.
const VARIABLE: &str = "SSL_CERT_FILE";

/// Where distributions keep the authorities that their machines trust; a company adds its own there.
const OF_THE_MACHINE: [&str; 5] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// How a client is to check the servers that it speaks with; why not, where the file that a person names cannot be used.
pub(crate) fn trusted() -> Result<TlsConfig, String> {
    let roots = roots(std::env::var_os(VARIABLE).as_deref(), &OF_THE_MACHINE.map(Path::new))?;
    Ok(TlsConfig::builder().root_certs(roots).build())
}

fn roots(named: Option<&OsStr>, of_the_machine: &[&Path]) -> Result<RootCerts, String> {
    if let Some(file) = named.filter(|file| !file.is_empty()).map(Path::new) {
        return certificates(file).map_err(|why| format!("{VARIABLE} names {}: {why}", file.display()));
    }
    Ok(of_the_machine.iter().find_map(|file| certificates(file).ok()).unwrap_or(RootCerts::WebPki))
}

fn certificates(file: &Path) -> Result<RootCerts, String> {
    // outside: what a person names, or what the system keeps below /etc
    let text = fs::read(file).map_err(|error| error.to_string())?;
    let found: Vec<Certificate<'static>> = parse_pem(&text)
        .filter_map(|item| match item {
            Ok(PemItem::Certificate(certificate)) => Some(certificate),
            _ => None,
        })
        .collect();
    if found.is_empty() {
        return Err("it holds no certificate".to_owned());
    }
    Ok(RootCerts::new_with_certs(&found))
}

/// What a person can do about a server that nobody trusted vouches for; `None` where that is not what went wrong.
pub(crate) fn explained(error: &Error) -> Option<String> {
    let is_unknown = error.to_string().contains("UnknownIssuer");
    is_unknown.then(|| {
        format!(
            "no certificate authority that is trusted here vouches for the server; {VARIABLE} names a file with your company's"
        )
    })
}

#[cfg(test)]
mod tests {
    use windlass_testkit::secure::AUTHORITY;

    use super::*;

    fn count(roots: &RootCerts) -> usize {
        match roots {
            RootCerts::Specific(certificates) => certificates.len(),
            _ => 0,
        }
    }

    #[test]
    fn a_named_file_goes_before_the_machines_and_what_is_built_in_is_last() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let file = folder.path().join(name);
            fs::write(&file, text).unwrap();
            file
        };
        let one = write("one.pem", AUTHORITY);
        let two = write("two.pem", &AUTHORITY.repeat(2));
        let none = folder.path().join("none.pem");
        let machine = [none.as_path(), two.as_path()];
        assert_eq!(count(&roots(Some(one.as_os_str()), &machine).unwrap()), 1);
        assert_eq!(count(&roots(None, &machine).unwrap()), 2);
        assert_eq!(count(&roots(Some(OsStr::new("")), &machine).unwrap()), 2);
        assert!(matches!(roots(None, &[&none]).unwrap(), RootCerts::WebPki));
    }

    #[test]
    fn a_named_file_that_cannot_be_used_is_said_and_nothing_else_takes_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("notes.txt");
        let refused = |file: &Path| roots(Some(file.as_os_str()), &[]).unwrap_err();
        assert!(refused(&file).contains("No such file"), "{}", refused(&file));
        fs::write(&file, "no certificate").unwrap();
        let why = refused(&file);
        assert_eq!(why, format!("SSL_CERT_FILE names {}: it holds no certificate", file.display()));
    }
}
