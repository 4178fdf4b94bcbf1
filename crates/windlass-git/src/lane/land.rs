//! Landing: a lane's merged commit becomes the branch.
//!
//! In this order, so that no step can lose a commit or make it twice:
//!
//! 1. Is it there already? A commit with the landing's trailers, between where the lane began and the branch's tip, is the
//!    one; only the checkout may be missing. Is the tip another one than was merged with? Then the merge is due again.
//! 2. The lane's commit is fetched; the commit that lands is made of it, with the runner's own files in it, signed if the
//!    user signs. Nothing names it yet.
//! 3. What the checkout will get is written aside, its index is locked, and it is made sure that nothing of a person's
//!    would be overwritten. Up to here nothing has changed that anybody sees.
//! 4. The branch advances, from the tip that was merged with and no other. This is the moment.
//! 5. Files are put in place by renaming, which takes no room on the disk, then the index.

use super::follow::{Follower, Obstacle, Strictness};
use super::steps::Step;
use super::target::{Target, short};
use super::turn::Turn;
use super::{LONG, Lane, LaneError, told};
use crate::git::as_path;
use crate::git::call::{Call, CallOutput, index_line, unexpected, zero_ended};
use crate::git::obstacle::{explain, unsigned};
use crate::git::patience::with_pauses;
use crate::git::{GitError, ObjectId, Repository, is_disk_full};
use windlass_host::file::AtPath;
use windlass_host::tree::at;

/// How far back a commit is looked for that landed before a crash.
const LOOKED_BACK: &str = "-10000";

/// The name by which a lane hands over a commit.
const HANDED_OVER: &str = "refs/windlass/handed-over";

/// What is to land.
#[derive(Clone, Copy, Debug)]
pub struct Landing<'a> {
    /// The lane that has the commit.
    pub lane: &'a Lane,
    /// The merged commit; its parent is `tip`. Its message becomes that of the commit that lands. `None` where the lane has
    /// changed nothing: the runner's own files land then.
    pub commit: Option<ObjectId>,
    /// The message of a landing without a commit of the lane's; with the trailers.
    pub message: &'a str,
    /// The branch's commit that it was merged with.
    pub tip: ObjectId,
    /// What the lane's work was made on, as [`Lane::since`] says: it cannot have landed before.
    pub since: ObjectId,
    /// What advances.
    pub target: &'a Target,
    /// Lines that the message has and no other commit's: by them the commit is known after a crash.
    pub trailers: &'a str,
    /// The runner's own files as they are to be in the commit. A checkout's version that somebody has changed stays.
    pub files: &'a [OwnFile],
}

/// A file that only the runner changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnFile {
    /// Relative to the repository's top.
    pub path: Vec<u8>,
    /// Its bytes as they are in a working tree.
    pub content: Vec<u8>,
}

/// What became of a landing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Landed {
    /// The branch has it.
    Landed {
        /// The commit.
        commit: ObjectId,
        /// Paths whose version in the checkout is somebody's own and stays: the runner's files that a person has changed, and
        /// what was changed in the very moment of the landing.
        left: Vec<Vec<u8>>,
        /// Why a checkout still has the files of before, where it has: the same landing called again brings them.
        behind: Option<String>,
    },
    /// The branch has all of it already, from others.
    Nothing,
    /// Somebody advanced the branch: the merge is due again, with this.
    Moved {
        /// The branch's commit now.
        tip: ObjectId,
    },
    /// Nothing was changed, since this work would change what is a person's: a sentence that says what, and what to do.
    Refused(String),
    /// Nothing was changed, whatever the work: a sentence that says what is in the way of any landing, and what to do.
    Prevented(String),
    /// Nothing was changed: another git keeps the checkout locked, as a sentence; it may be over soon.
    Held(String),
}

/// Lands a lane's merged commit. Called again after it was cut off, it finishes what it began.
///
/// # Errors
/// The disk is full, or git fails at something that it should be able to do. Nothing is half done then that the next call
/// does not finish.
pub fn land(main: &Repository, landing: &Landing<'_>) -> Result<Landed, LaneError> {
    let _turn = Turn::take(main)?;
    let tip = match landing.target.tip(main)? {
        Ok(tip) => tip,
        Err(why) => return Ok(Landed::Prevented(why)),
    };
    if let Some(commit) = marked(main, landing.since, tip, landing.trailers)? {
        return finish(main, landing, commit, tip);
    }
    if tip != landing.tip {
        return Ok(Landed::Moved { tip });
    }
    if let Some(why) = landing.target.rebase_under_way(main) {
        return Ok(Landed::Prevented(why));
    }
    if let Some(commit) = landing.commit {
        fetch(main, landing.lane, commit)?;
    }
    Step::Fetched.done();
    let work = landing.commit.map(|commit| told(main, commit)).transpose()?;
    let before = told(main, tip)?.tree;
    let tree = tree_with_files(main, landing, work.as_ref().map_or(before, |work| work.tree))?;
    if tree == before {
        return Ok(Landed::Nothing);
    }
    let text = work.map_or_else(|| landing.message.as_bytes().to_vec(), |work| work.message);
    match commit(main, landing, tree, text)? {
        Ok(commit) => advance(main, landing, commit),
        Err(why) => Ok(Landed::Prevented(why)),
    }
}

/// The commit of a landing that was made before a crash, if it was; nothing is changed.
pub fn landed(
    main: &Repository,
    target: &Target,
    since: ObjectId,
    trailers: &str,
) -> Result<Option<ObjectId>, LaneError> {
    match target.tip(main)? {
        Ok(tip) => Ok(marked(main, since, tip, trailers)?),
        Err(_) => Ok(None),
    }
}

/// The commit with these trailers between two others.
fn marked(
    main: &Repository,
    since: ObjectId,
    tip: ObjectId,
    trailers: &str,
) -> Result<Option<ObjectId>, GitError> {
    if since == tip {
        return Ok(None);
    }
    let commits = commits_with(main, &format!("{since}..{tip}"), trailers)?;
    Ok(commits.into_iter().next().map(|(commit, _)| commit))
}

/// The commits that a branch has after another commit, or all of it, whose messages have these lines; with their messages, the newest
/// first.
pub fn commits_since(
    main: &Repository,
    since: Option<ObjectId>,
    tip: ObjectId,
    trailers: &str,
) -> Result<Vec<(ObjectId, String)>, GitError> {
    let range = since.map_or_else(|| tip.to_string(), |since| format!("{since}..{tip}"));
    commits_with(main, &range, trailers)
}

fn commits_with(main: &Repository, range: &str, trailers: &str) -> Result<Vec<(ObjectId, String)>, GitError> {
    let listing = [
        "log",
        LOOKED_BACK,
        "--first-parent",
        "--no-show-signature",
        "--encoding=UTF-8",
        "--format=%H%n%B%x00",
    ];
    let messages = Call::within(main).args(listing).arg(range).arg("--").output()?;
    let messages = String::from_utf8_lossy(&messages);
    // A hook may have added lines of its own, or moved them.
    let is_marked = |text: &&str| trailers.lines().all(|trailer| text.lines().any(|line| line == trailer));
    let commit = |text: &str| {
        let (commit, message) = text.split_once('\n')?;
        Some((ObjectId::from_hex(commit.as_bytes())?, message.to_owned()))
    };
    Ok(messages.split('\0').map(str::trim_start).filter(is_marked).filter_map(commit).collect())
}

/// A landing that was cut off after the branch had advanced: the checkout may be missing, in part or in whole.
fn finish(
    main: &Repository,
    landing: &Landing<'_>,
    commit: ObjectId,
    tip: ObjectId,
) -> Result<Landed, LaneError> {
    let (mut followers, mut behind) = (Vec::new(), None);
    let before = told(main, commit)?.parent().unwrap_or(landing.tip);
    for checkout in landing.target.checkouts(main)? {
        match Follower::prepare(checkout, before, tip, Strictness::WhatGoes)? {
            Ok(follower) => followers.push(follower),
            Err(obstacle) => behind = Some(obstacle.why()),
        }
    }
    Ok(Landed::Landed { commit, left: follow(followers)?, behind })
}

/// Brings every checkout along as far as that is possible.
fn follow(followers: Vec<Follower>) -> Result<Vec<Vec<u8>>, LaneError> {
    let (mut left, mut failed) = (Vec::new(), None);
    for follower in followers {
        match follower.follow() {
            Ok(some) => left.extend(some),
            Err(error) => failed = Some(error),
        }
    }
    failed.map_or(Ok(left), Err)
}

fn advance(main: &Repository, landing: &Landing<'_>, commit: ObjectId) -> Result<Landed, LaneError> {
    let own: Vec<&[u8]> = landing.files.iter().map(|file| file.path.as_slice()).collect();
    let mut followers = Vec::new();
    for checkout in landing.target.checkouts(main)? {
        match Follower::prepare(checkout, landing.tip, commit, Strictness::AllBut(&own))? {
            Ok(follower) => followers.push(follower),
            Err(Obstacle::Work(why)) => return Ok(Landed::Refused(why)),
            Err(Obstacle::Place(why)) => return Ok(Landed::Prevented(why)),
            Err(Obstacle::AnotherGit(why)) => return Ok(Landed::Held(why)),
        }
    }
    let answer = update(main, landing, commit)?;
    if answer.code != 0 {
        has_room(&answer)?;
        return Ok(match landing.target.tip(main)? {
            Ok(tip) if tip != landing.tip => Landed::Moved { tip },
            Ok(_) => Landed::Prevented(explain(main, &answer)?),
            Err(why) => Landed::Prevented(why),
        });
    }
    Step::Advanced.done();
    Ok(Landed::Landed { commit, left: follow(followers)?, behind: None })
}

/// Moves the branch, or says why not.
///
/// # Errors
/// Another git holds it, longer than is waited for: that is nothing that the work did.
fn update(main: &Repository, landing: &Landing<'_>, commit: ObjectId) -> Result<CallOutput, GitError> {
    with_pauses(|| {
        let call = Call::within(main).args(["update-ref", "--no-deref", "-m", "windlass: land"]);
        let call = call.arg(landing.target.reference()).args([commit.to_string(), landing.tip.to_string()]);
        let answer = call.run()?;
        let refused = answer.failed();
        if answer.code != 0 && refused.is_locked() { Err(refused) } else { Ok(answer) }
    })
}

/// Copies the objects that only the lane has. It goes from folder to folder; no remote is asked for anything.
pub(super) fn fetch(main: &Repository, lane: &Lane, commit: ObjectId) -> Result<(), LaneError> {
    // Put in place at once, as where the lane stands is: a git that is killed here would leave its lock for ever.
    let handed_over = at(&lane.repository.git_dir.join(HANDED_OVER));
    if let Some(folder) = handed_over.parent() {
        folder.make_folders()?;
    }
    handed_over.replace(format!("{commit}\n").as_bytes(), 0o600)?;
    let call = Call::within(main).fetch().arg(&lane.repository.git_dir).arg(HANDED_OVER);
    call.timeout(LONG).output()?;
    Ok(())
}

/// The tree with the runner's own files in it.
fn tree_with_files(main: &Repository, landing: &Landing<'_>, tree: ObjectId) -> Result<ObjectId, LaneError> {
    if landing.files.is_empty() {
        return Ok(tree);
    }
    // outside: the lane's folder in the state folder, above what its guests can write.
    let scratch = tempfile::tempdir_in(&landing.lane.home).at("write in", &landing.lane.home)?;
    let index = scratch.path().join("index");
    let call = || Call::within(main).with_index(&index);
    call().args(["read-tree", &tree.to_string()]).output()?;
    let paths = landing.files.iter().map(|file| as_path(&file.path));
    let there = call().args(["ls-files", "--stage", "-z", "--"]).args(paths).output()?;
    let mut lines = Vec::new();
    for file in landing.files {
        let write =
            Call::within(main).args(["hash-object", "-w", "--stdin"]).path_option("--path", &file.path);
        let id = write.input(file.content.clone()).id()?;
        let ending = [b"\t", file.path.as_slice()].concat();
        let mut before = zero_ended(&there).filter(|line| line.ends_with(&ending));
        let runs = before.any(|line| line.starts_with(b"100755 "));
        lines.extend(index_line(if runs { "100755" } else { "100644" }, &id.to_string(), &file.path));
    }
    let update = ["update-index", "-z", "--add", "--replace", "--index-info"];
    call().args(update).input(lines).output()?;
    Ok(call().arg("write-tree").id()?)
}

/// Makes the commit that lands; a sentence when it cannot be made.
fn commit(
    main: &Repository,
    landing: &Landing<'_>,
    tree: ObjectId,
    text: Vec<u8>,
) -> Result<Result<ObjectId, String>, LaneError> {
    // Unlike `git commit`, this is not signed because the configuration says so.
    let signs = main.signs_commits()?;
    let call = Call::within(main).option("i18n.commitEncoding=UTF-8").arg("commit-tree").timeout(LONG);
    let call = if signs { call.arg("-S") } else { call };
    let call = call.args(["-p", &landing.tip.to_string(), "-F", "-"]).arg(tree.to_string());
    let answer = match call.input(text).run() {
        Err(error @ GitError::TimedOut { .. }) => return Ok(Err(error.to_string())),
        answer => answer?,
    };
    if answer.code != 0 {
        has_room(&answer)?;
        // All else that git does not like about a commit is fatal (128).
        if signs && answer.code == 1 {
            return Ok(Err(unsigned(&answer)));
        }
        let branch = match landing.target {
            Target::Branch(branch) => short(branch),
            Target::Detached => "HEAD".to_owned(),
        };
        return Ok(Err(format!("the commit for {branch} could not be made: {}", explain(main, &answer)?)));
    }
    Step::Committed.done();
    let id = ObjectId::from_hex(answer.output.trim_ascii());
    Ok(Ok(id.ok_or_else(|| unexpected("git commit-tree", &answer.output))?))
}

/// A full disk is nothing that a person has to be asked about a commit.
fn has_room(answer: &CallOutput) -> Result<(), GitError> {
    let failed = answer.failed();
    if is_disk_full(&failed) { Err(failed) } else { Ok(()) }
}
