//! Everything that parses, under hostile bytes.
//!
//! A [`Target`] is a function that takes any bytes, has a parser read them, and panics where one of its properties does
//! not hold; not to panic is only the least of them. The inputs in `corpus/<target>/` are run by this crate's tests,
//! and thousands of mutations of them with them. `cargo xtask fuzz` runs the same targets guided by coverage.
//!
//! To add a target: one file in `targets/`, one row in [`TARGETS`], some inputs in `corpus/`.

pub mod corpus;
mod dice;
mod example;
mod heard;
pub mod mutation;
mod parsers;
mod scripted;
mod targets;

/// Something that parses, and what must hold whatever it reads.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name, and its folder's below `corpus/`.
    pub name: &'static str,
    /// What is read.
    pub about: &'static str,
    /// Reads the bytes; panics where a property is broken.
    pub run: fn(&[u8]),
}

/// All there are.
pub const TARGETS: &[Target] = &[
    Target {
        name: "stream",
        about: "what an agent prints, and the report on its call",
        run: targets::stream,
    },
    Target { name: "agents", about: "the same of each agent that is known", run: targets::agents },
    Target { name: "assessment", about: "a judging agent's answer", run: targets::assessment },
    Target { name: "reset-time", about: "a sentence that names a reset time", run: targets::reset_time },
    Target { name: "login", about: "what agents say of their version and login", run: targets::login },
    Target { name: "rule", about: "a command as a permission rule", run: targets::rule },
    Target { name: "prompt", about: "notes, check output and AGENTS.md in a prompt", run: targets::prompt },
    Target { name: "config-file", about: "a configuration file", run: targets::config_file },
    Target {
        name: "config-environment",
        about: "configuration in variables",
        run: targets::config_environment,
    },
    Target {
        name: "config-edit",
        about: "a configuration file in which a value is changed",
        run: targets::edit,
    },
    Target { name: "amounts", about: "durations and money", run: targets::amounts },
    Target { name: "prices", about: "a person's prices, and what usage costs by them", run: targets::prices },
    Target { name: "journal", about: "a journal, and the run that it tells of", run: targets::journal },
    Target { name: "index", about: "the index of a project's runs, a lock's holder", run: targets::index },
    Target { name: "times", about: "when a call's bytes came", run: targets::times },
    Target { name: "keeper", about: "requests to a keeper, status lines of processes", run: targets::keeper },
    Target { name: "forge", about: "what a forge answers, and a remote", run: targets::forge },
    Target { name: "git", about: "references and trees", run: targets::git },
    Target { name: "tracked", about: "an index of git's", run: targets::tracked },
    Target { name: "ignored", about: "a .gitignore, and what it says of paths", run: targets::ignored },
    Target { name: "snapshot", about: "what snapshots write about themselves", run: targets::snapshot },
    Target { name: "status", about: "a workspace's status file and boxes", run: targets::status },
    Target { name: "plan", about: "a plan, in a file and in a folder, and a spec", run: targets::plan },
    Target {
        name: "principles",
        about: "a file of principles, read and changed, and a log of decisions",
        run: targets::principles,
    },
    Target {
        name: "pipeline",
        about: "the documents of a pipeline, judged in each phase",
        run: targets::pipeline,
    },
    Target { name: "progress", about: "a journal of tasks, read and added to", run: targets::progress },
    Target { name: "tasks", about: "a task file in each of its forms", run: targets::tasks },
    Target { name: "workspace", about: "a workspace's metadata and name", run: targets::workspace },
    Target { name: "worktree", about: "what is known of a worktree", run: targets::worktree },
    Target { name: "include", about: "what goes along into a fresh checkout", run: targets::include },
    Target { name: "template", about: "a template's record and options", run: targets::template },
    Target { name: "archive", about: "an archive of a workspace, unpacked", run: targets::archive },
    Target { name: "import", about: "what claude-iterate configured", run: targets::import },
    Target { name: "fresher", about: "what Fresher was told, and what it noted", run: targets::fresher },
    Target { name: "devloop", about: "what DevLoop was told, and what it noted", run: targets::devloop },
    Target { name: "hook-reply", about: "what a hook prints", run: targets::hook_reply },
    Target {
        name: "guard",
        about: "tests, their configuration, and commands of checks",
        run: targets::guard,
    },
    Target { name: "commit", about: "words of a commit, .gitignore, keys", run: targets::commit },
    Target { name: "redact", about: "text without its secrets", run: targets::redact },
    Target { name: "proxy", about: "what a guest of a sandbox asks its proxy for", run: targets::proxy },
    Target {
        name: "page",
        about: "addresses and headers of the page, and what is asked of a run",
        run: targets::page,
    },
    Target { name: "script", about: "a script of the scripted agent", run: targets::script },
];

/// The target of this name.
pub fn find(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}
