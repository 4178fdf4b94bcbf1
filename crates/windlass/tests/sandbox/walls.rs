//! What a guest tries against the walls themselves.

use std::os::unix::net::{UnixDatagram, UnixListener};

use super::place::{PATIENCE, Place, kinds, said};

/// Words for scripts that speak with sockets of this machine.
const SOCKETS: &str = r#"
connect() { perl -MIO::Socket::UNIX -e 'exit(IO::Socket::UNIX->new(Peer => $ARGV[0]) ? 0 : 1)' "$1"; }
send_to() { perl -MIO::Socket::UNIX -e 'exit(IO::Socket::UNIX->new(Type => SOCK_DGRAM, Peer => $ARGV[0]) ? 0 : 1)' "$1"; }
pair_sends_to() { perl -MSocket -e 'socketpair(my $a, my $b, AF_UNIX, SOCK_DGRAM, 0) or exit 1; exit(send($a, "x", 0, sockaddr_un($ARGV[0])) ? 0 : 1)' "$1"; }
pair() { perl -MSocket -e 'socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, 0) or exit 1; syswrite($a, "x"); sysread($b, my $c, 1) == 1 or exit 1'; }
listen_at() { perl -MIO::Socket::UNIX -e 'exit(IO::Socket::UNIX->new(Local => $ARGV[0], Listen => 1) ? 0 : 1)' "$1"; }
"#;

// attack(sandbox): with the network off, an agent speaks with a service of this machine by its Unix socket, by a datagram
//   and by one of a pair that it has made itself.
// holds: no such socket can be made inside; connected pairs work.
#[test]
fn without_the_network_no_service_is_reached_by_its_socket() {
    for kind in kinds() {
        let place = Place::new(kind);
        let home = place.env.home().join(".agent");
        std::fs::create_dir(&home).unwrap();
        let (stream, datagrams) = (home.join("agent.sock"), home.join("log.sock"));
        let _listener = UnixListener::bind(&stream).unwrap();
        let _log = UnixDatagram::bind(&datagrams).unwrap();
        // They are to be seen wherever this lies.
        let place = place.set("WINDLASS_SANDBOX__WRITABLE", home.to_str().unwrap());
        let (stream, datagrams) = (stream.display(), datagrams.display());
        let tries = format!(
            "connect '{stream}'\nEXPECTED send_to '{datagrams}'\nEXPECTED pair_sends_to '{datagrams}'\n"
        );
        let script = |word: &str| {
            let tries = tries.replace("EXPECTED", &format!("{word} 'speak with it'"));
            format!("{SOCKETS}\n{word} 'speak with it' {tries}\nmay 'use a pair' pair\n")
        };
        // As far as it reaches at all: this is what is refused below.
        place.expect(&["--network", "on"], &script("may"));
        for network in ["off", "hosts"] {
            let inner = "may_not 'listen' listen_at here.sock\n";
            place.expect(&["--network", network], &format!("{}{inner}", script("may_not")));
        }
        let place = place.set("WINDLASS_SANDBOX__UNIX_SOCKETS", "true");
        place.expect(&["--network", "off"], &format!("{SOCKETS}may 'listen' listen_at here.sock\n"));
    }
}

// attack(sandbox): an agent makes a user namespace, in which it could leave the mounts behind and rename what lies below them.
// holds: no user namespace can be made inside.
#[test]
fn no_guest_makes_a_namespace_in_which_it_could_do_more() {
    for kind in kinds() {
        let place = Place::new(kind);
        place.expect(
            &[],
            "may_not 'make a user namespace' unshare --user true
may_not 'make one with mounts' unshare --user --map-root-user --mount true
may_not 'take a mount away' umount .windlass
may 'start programs' sh -c true\n",
        );
    }
}

// attack(sandbox): an agent leaves a program that runs as whoever it belongs to, which is root where root runs windlass.
// holds: no file can be marked so inside.
#[test]
fn no_guest_leaves_a_program_that_runs_as_root() {
    for kind in kinds() {
        let place = Place::new(kind);
        place.expect(
            &[],
            r#"
cp /bin/true tool
may 'change rights' chmod 755 tool
may_not 'mark it' chmod 4755 tool
may_not 'mark it in another way' perl -e 'chmod(04755, "tool") or exit 1'
may_not 'make one that is marked' perl -MFcntl -e 'umask 0; sysopen(my $f, "new", O_WRONLY|O_CREAT, 04755) or exit 1'
test ! -u tool && test ! -u new || { echo "FAILED: it is marked"; failed=1; }
"#,
        );
    }
}

// attack(sandbox): an agent renames a folder above what is mounted read-only, and makes its own configuration in its place.
// holds: no folder on the way to something closed can be renamed, removed or replaced.
#[test]
fn no_folder_above_something_closed_can_be_renamed() {
    for kind in kinds().into_iter().filter(|kind| *kind == "bwrap") {
        let mut place = Place::new(kind);
        for (file, text) in [
            ("a/b/.windlass/config.toml", "[limits]\nmax_failures = 7\n"),
            ("a/b/.windlass/workspaces/api/config.toml", ""),
            ("a/b/.windlass/workspaces/api/working/x", ""),
            ("a/b/.claude/settings.json", "{}"),
            ("a/.claude/commands/x.md", "x"),
            ("a/b/x", "x"),
        ] {
            place.env.write(file, text);
        }
        place.directory = place.env.project().join("a/b");
        place.expect(
            &[],
            r#"
top=$(cd ../.. && pwd)
for folder in "$top/a" "$top/a/b" "$top/a/.claude" "$top/a/b/.claude" "$top/a/b/.windlass" \
    "$top/a/b/.windlass/workspaces" "$top/a/b/.windlass/workspaces/api"; do
    for name in "$folder-away" "$top/away"; do
        may_not "rename $folder" perl -e 'rename($ARGV[0], $ARGV[1]) or exit 1' "$folder" "$name"
    done
    mkdir -p "$top/new"
    may_not "replace $folder" perl -e 'rename($ARGV[1], $ARGV[0]) or exit 1' "$folder" "$top/new"
    may_not "remove $folder" rmdir "$folder"
done
may_not 'make a workspace' mkdir -p .windlass/workspaces/new
may 'work in one' sh -c 'echo x > .windlass/workspaces/api/working/y'
may 'rename what is its own' mv x y
may 'make folders' sh -c 'mkdir -p ../c/d && mv ../c ../e'
may 'write beside' sh -c 'echo x > .claude/notes.md'
"#,
        );
        assert!(place.env.project().join("a/b/.windlass/config.toml").exists());
    }
}

#[test]
fn a_run_that_was_resumed_is_locked_in_as_before() {
    for kind in kinds() {
        let place = Place::new(kind);
        let script = "[[call]]\nsteps = [ { bash = \"unshare --user true && touch ../project/escaped\" }, { result = { text = \"Done.\", cost = 0.01 } } ]\n";
        let mut command = place.command_of(script, &["-m", "1", "--network", "off"]);
        let outcome = place.env.run(&mut command, PATIENCE);
        assert!(!outcome.timed_out && !place.env.project().join("escaped").exists(), "{}", said(&outcome));
        let mut resume = place.windlass(&["resume", "-m", "2"]);
        let outcome = place.env.run(&mut resume, PATIENCE);
        assert!(!outcome.timed_out && !place.env.project().join("escaped").exists(), "{}", said(&outcome));
    }
}
