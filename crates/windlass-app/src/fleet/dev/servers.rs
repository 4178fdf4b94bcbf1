//! Servers of a fleet that is tried: their configuration.

use std::fmt::Write as _;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};

use windlass_core::hexadecimal;
use windlass_fleet::names::FleetName;
use windlass_fleet::permissions::{configuration, variable};
use windlass_fleet::settings::Role;

use super::folder::DevFolder;
use crate::error::{AppError, Kind};

/// A server that is about to be started.
#[derive(Clone, Debug)]
pub(super) struct Server {
    /// Among the servers.
    pub name: String,
    /// For clients, on loopback.
    pub port: u16,
    /// Its configuration's file.
    pub configuration: PathBuf,
}

impl Server {
    pub(super) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }
}

/// The ports of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ports {
    client: u16,
    cluster: u16,
}

/// Somebody's password.
struct User {
    role: Role,
    password: String,
}

/// Writes passwords and configuration of so many servers.
pub(super) fn write(folder: &DevFolder, fleet: &FleetName, count: u16) -> Result<Vec<Server>, AppError> {
    let mut users = Vec::new();
    for role in Role::ALL {
        let password = password()?;
        let text = format!("{}:{password}\n", role.name());
        folder.write(&format!("{}.password", role.name()), &text)?;
        users.push(User { role, password });
    }
    let ports = free_ports(count)?;
    let mut servers = Vec::new();
    for (index, own) in ports.iter().enumerate() {
        let name = format!("server-{}", index + 1);
        let store = folder.make(&name)?;
        let text = configured(&name, fleet, &users, &store, *own, &ports);
        let configuration = folder.write(&format!("{name}.conf"), &text)?;
        servers.push(Server { name, port: own.client, configuration });
    }
    Ok(servers)
}

fn password() -> Result<String, AppError> {
    let mut bytes = [0; 24];
    getrandom::fill(&mut bytes)
        .map_err(|error| AppError::new(Kind::System, format!("cannot make a password: {error}")))?;
    Ok(hexadecimal::digits(&bytes))
}

/// Ports that are free now, all different.
fn free_ports(count: u16) -> Result<Vec<Ports>, AppError> {
    let trouble = |error: std::io::Error| {
        AppError::new(Kind::System, format!("cannot find a free port on 127.0.0.1: {error}"))
    };
    let mut held = Vec::new();
    for _ in 0..count * 2 {
        held.push(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(trouble)?);
    }
    let ports: Result<Vec<u16>, _> = held.iter().map(|held| Ok(held.local_addr()?.port())).collect();
    let ports = ports.map_err(trouble)?;
    Ok(ports.as_chunks::<2>().0.iter().map(|&[client, cluster]| Ports { client, cluster }).collect())
}

/// A server's configuration: users with the permissions of their roles, everything on disk when it is acknowledged.
fn configured(
    name: &str,
    fleet: &FleetName,
    users: &[User],
    store: &Path,
    own: Ports,
    all: &[Ports],
) -> String {
    let mut text = format!("server_name: \"{name}\"\nlisten: \"127.0.0.1:{}\"\n", own.client);
    // Writing to a string does not fail.
    let _ =
        writeln!(text, "jetstream {{ store_dir: {:?}, sync_interval: always }}", store.display().to_string());
    if all.len() > 1 {
        let routes: Vec<String> =
            all.iter().map(|ports| format!("\"nats-route://127.0.0.1:{}\"", ports.cluster)).collect();
        let _ = writeln!(
            text,
            "cluster {{ name: \"{fleet}\", listen: \"127.0.0.1:{}\", routes: [{}] }}",
            own.cluster,
            routes.join(", ")
        );
    }
    text.push_str(&configuration(fleet));
    let user = |User { role, password }: &User| {
        format!(
            "  {{ user: \"{}\", password: \"{password}\", permissions: ${} }}\n",
            role.name(),
            variable(fleet, *role)
        )
    };
    let users: String = users.iter().map(user).collect();
    let _ = writeln!(text, "authorization {{ users: [\n{users}] }}");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_has_a_password_and_permissions_of_their_own() {
        let folder = DevFolder::create().unwrap();
        let fleet: FleetName = "night".parse().unwrap();
        let servers = write(&folder, &fleet, 3).unwrap();
        let texts: Vec<String> =
            servers.iter().map(|server| std::fs::read_to_string(&server.configuration).unwrap()).collect();
        let mut passwords = std::collections::BTreeSet::new();
        for role in Role::ALL {
            let file = std::fs::read_to_string(folder.password_file(role)).unwrap();
            let (user, password) = file.trim_end().split_once(':').unwrap();
            assert_eq!((user, password.len()), (role.name(), 48));
            let line = format!(
                "user: \"{user}\", password: \"{password}\", permissions: ${}",
                variable(&fleet, role)
            );
            assert!(texts.iter().all(|text| text.contains(&line)), "{line}");
            passwords.insert(password.to_owned());
        }
        assert_eq!(passwords.len(), 4);
        for (server, text) in servers.iter().zip(&texts) {
            assert!(text.contains(&format!("listen: \"127.0.0.1:{}\"", server.port)));
            assert!(text.contains("sync_interval: always"));
            assert_eq!(text.matches("nats-route://127.0.0.1:").count(), 3);
        }
        let ports: std::collections::BTreeSet<u16> = servers.iter().map(|server| server.port).collect();
        assert_eq!(ports.len(), 3);
    }

    #[test]
    fn only_their_owner_may_read_passwords() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = DevFolder::create().unwrap();
        let servers = write(&folder, &"night".parse().unwrap(), 1).unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(folder.path()), 0o700);
        assert_eq!(
            (mode(&servers[0].configuration), mode(&folder.password_file(Role::Runner))),
            (0o600, 0o600)
        );
        assert!(!std::fs::read_to_string(&servers[0].configuration).unwrap().contains("cluster"));
    }
}
