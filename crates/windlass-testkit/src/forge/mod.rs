//! A stand-in for GitHub, so that the *real* `gh` and the *real* git can be driven through any story on loopback: git over
//! HTTP by `git http-backend`, the API over a unix socket (`gh config set http_unix_socket`), merges by git itself.
//!
//! Time passes with what is asked: a check that is pending "for three views" is over at the fourth. So stories are the same on
//! every machine.

mod answer;
mod api;
mod backend;
mod graphql;
mod http;
mod issues;
mod repository;
mod rest;
mod serve;
mod state;
mod story;
#[cfg(test)]
mod tests;

use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use jiff::Timestamp;

use crate::environment::TestEnv;
use repository::Bare;
use serve::Shared;

pub use issues::{CommentShown, IssueShown, LOGIN};
pub use state::{Asked, PullShown};
pub use story::{Checks, Conclusion, Event, Protection, Remark, Story, Trouble};

/// What `gh` is logged in with. Nothing may ever show it.
pub const TOKEN: &str = "gho_StandInStandInStandInStandInStand123";

/// The repository's owner and name.
pub const OWNER: &str = "acme";
/// See [`OWNER`].
pub const NAME: &str = "anvil";

/// A forge with one repository, `github.com/acme/anvil`, until it is dropped.
#[derive(Debug)]
pub struct StandInForge {
    shared: Arc<Shared>,
    socket: PathBuf,
    address: SocketAddr,
}

impl StandInForge {
    /// Makes the repository from the project's branch `main`, and has the environment's `gh` and git find it as
    /// `https://github.com/acme/anvil.git`, which becomes the project's `origin`. The project has to be a git repository.
    pub fn start(env: &TestEnv, story: Story) -> StandInForge {
        let root = env.root().join("forge");
        let bare = Bare::create(&root, env.project());
        let socket = env.root().join("gh.sock");
        let api = UnixListener::bind(&socket).expect("a socket for the stand-in forge");
        let git = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port on 127.0.0.1");
        let address = git.local_addr().expect("the port that was bound");
        let shared = Arc::new(Shared::new(bare, story));
        accept_api(api, &shared);
        accept_git(git, &shared);
        log_in(env, &socket);
        point_git_at(env, address);
        env.git(&["remote", "add", "origin", &format!("https://github.com/{OWNER}/{NAME}.git")]);
        StandInForge { shared, socket, address }
    }

    /// Every request so far, in order of arrival.
    pub fn asked(&self) -> Vec<Asked> {
        self.shared.lock().asked.clone()
    }

    /// How often something was asked for that is called so.
    pub fn count(&self, what: &str) -> usize {
        self.asked().iter().filter(|asked| asked.what == what).count()
    }

    /// The pull requests, as they are.
    pub fn pulls(&self) -> Vec<PullShown> {
        self.shared.lock().shown()
    }

    /// The tip of a branch.
    pub fn tip(&self, branch: &str) -> Option<String> {
        self.shared.lock().bare.tip(branch)
    }

    /// The parents of a commit.
    pub fn parents(&self, commit: &str) -> Vec<String> {
        self.shared.lock().bare.parents(commit)
    }

    /// Commits of a branch, the newest first: `hash subject`.
    pub fn log(&self, branch: &str) -> Vec<String> {
        self.shared.lock().bare.log(branch)
    }

    /// The repository has this issue as well.
    pub fn add_issue(&self, issue: IssueShown) {
        self.shared.lock().tracker.issues.push(issue);
    }

    /// An issue, as it is.
    pub fn issue(&self, number: u64) -> IssueShown {
        self.shared.lock().tracker.find(number).cloned().expect("an issue of this number")
    }

    /// Somebody changes an issue by hand.
    pub fn change_issue(&self, number: u64, change: impl FnOnce(&mut IssueShown)) {
        change(self.shared.lock().tracker.find(number).expect("an issue of this number"));
    }

    /// Somebody who is that to the repository says something below an issue.
    pub fn say(&self, number: u64, author: &str, association: &str, text: &str) {
        self.shared.lock().tracker.say(number, author, association, text).expect("an issue of this number");
    }

    /// The repository has a milestone.
    pub fn add_milestone(&self, number: u64, title: &str) {
        self.shared.lock().tracker.milestones.push((number, title.to_owned()));
    }

    /// Issues are turned off.
    pub fn turn_issues_off(&self) {
        self.shared.lock().tracker.off = true;
    }

    /// So much passes on the forge's clock.
    pub fn let_pass(&self, time: Duration) {
        self.shared.lock().tracker.passed += time;
    }

    /// What the forge's clock shows.
    pub fn now(&self) -> Timestamp {
        self.shared.lock().tracker.now()
    }

    /// Another project is a clone of the same repository, and finds it in the same way.
    pub fn join(&self, env: &TestEnv) {
        log_in(env, &self.socket);
        point_git_at(env, self.address);
        env.git(&["remote", "add", "origin", &format!("https://github.com/{OWNER}/{NAME}.git")]);
    }

    /// Something happens now, as if a person did it.
    pub fn happen(&self, event: &Event) {
        self.shared.lock().happen(event);
    }

    /// A person merges that pull request now.
    pub fn merge(&self, number: u64) {
        self.shared.lock().merge(number, "merge").expect("it goes together with main");
    }

    /// The next question or order of this name meets that.
    pub fn meet(&self, what: &str, trouble: Trouble) {
        self.shared.lock().troubles.push((what.to_owned(), trouble));
    }

    /// Waits until something of this name hangs, as [`Trouble::HangBefore`] and the like make it; `false` where that took
    /// longer than `patience`.
    pub fn wait_for_hanging(&self, patience: Duration) -> bool {
        self.shared.wait_for_hanging(patience)
    }

    /// Nothing hangs any longer.
    pub fn release(&self) {
        self.shared.release();
    }
}

impl Drop for StandInForge {
    fn drop(&mut self) {
        self.shared.stop();
        // Wakes those that accept. Nobody waits for them: the socket may be gone with the test's folder.
        let _ = UnixStream::connect(&self.socket);
        let _ = TcpStream::connect(self.address);
    }
}

fn accept_api(listener: UnixListener, shared: &Arc<Shared>) {
    let shared = Arc::clone(shared);
    let accept = move || {
        for stream in listener.incoming().map_while(Result::ok) {
            if shared.is_stopping() {
                break;
            }
            let shared = Arc::clone(&shared);
            thread::spawn(move || drop(shared.serve_api(&stream)));
        }
    };
    thread::Builder::new().name("stand-in forge".to_owned()).spawn(accept).expect("a thread");
}

fn accept_git(listener: TcpListener, shared: &Arc<Shared>) {
    let shared = Arc::clone(shared);
    let accept = move || {
        for stream in listener.incoming().map_while(Result::ok) {
            if shared.is_stopping() {
                break;
            }
            let shared = Arc::clone(&shared);
            thread::spawn(move || drop(shared.serve_git(&stream)));
        }
    };
    thread::Builder::new().name("stand-in forge's git".to_owned()).spawn(accept).expect("a thread");
}

/// As `gh auth login` and `gh config set http_unix_socket` leave it.
fn log_in(env: &TestEnv, socket: &Path) {
    let folder = env.home().join(".config/gh");
    env.write(folder.join("config.yml"), format!("http_unix_socket: {}\n", socket.display()));
    env.write(
        folder.join("hosts.yml"),
        format!("github.com:\n    user: tess\n    oauth_token: {TOKEN}\n    git_protocol: https\n"),
    );
}

/// Logs `gh` out.
pub fn log_out(env: &TestEnv) {
    fs::remove_file(env.home().join(".config/gh/hosts.yml")).expect("gh's login");
}

fn point_git_at(env: &TestEnv, address: SocketAddr) {
    let file = env.home().join(".gitconfig");
    let before = fs::read_to_string(&file).expect("the git configuration");
    env.write(&file, format!("{before}[url \"http://{address}/\"]\n\tinsteadOf = https://github.com/\n"));
}
