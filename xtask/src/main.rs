//! Chores of the project: `cargo xtask CHORE`.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "chores talk to whoever runs them")]

mod actions;
mod agents;
mod bench;
mod browser;
mod chaos;
mod checks;
mod containers;
mod docs;
mod evidence;
mod first_hour;
mod fuzz;
mod inputs;
mod man;
mod mutants;
mod nats;
mod nights;
mod places;
mod program;
mod release;
mod rows;
mod screens;
mod stand_in;
mod suite;
mod tidy;
mod workspace;

use std::process::ExitCode;

use program::Failure;
use workspace::Workspace;

/// One chore, by the name it is called with.
struct Chore {
    name: &'static str,
    arguments: &'static str,
    about: &'static str,
    run: fn(&Workspace, &[String]) -> Result<(), Failure>,
}

/// All there are.
const CHORES: &[Chore] = &[
    Chore {
        name: "agents",
        arguments: "",
        about: "install the pinned Claude Code below target/, for the tests",
        run: |workspace, _| agents::install(workspace),
    },
    Chore {
        name: "nats",
        arguments: "",
        about: "install the pinned server of NATS below target/, for the tests of the fleet",
        run: |workspace, _| nats::install(workspace),
    },
    Chore {
        name: "test",
        arguments: "[--times N] [-- FILTER…]",
        about: "install what the tests need, then run them all, or those whose names match; N times in a row",
        run: suite::run_chore,
    },
    Chore {
        name: "ci",
        arguments: "",
        about: "everything a change has to pass: format, tidy, rows, actions, docs, deny, clippy, test, places --smoke",
        run: |workspace, _| checks::run_all(workspace),
    },
    Chore {
        name: "rows",
        arguments: "[--check]",
        about: "write docs/coverage.md, defects.md and attacks.md from the tests and their lists; --check only compares",
        run: rows::run_chore,
    },
    Chore {
        name: "actions",
        arguments: "",
        about: "have a linter read the workflows and the action; installs it below target/",
        run: |workspace, _| actions::check(workspace),
    },
    Chore {
        name: "tidy",
        arguments: "",
        about: "check the walls and habits that no compiler checks",
        run: |workspace, _| tidy::run(workspace),
    },
    Chore {
        name: "bench",
        arguments: "[--program FILE] [GROUP…]",
        about: "measure what windlass costs beside the least it could cost; writes target/bench/",
        run: bench::run_chore,
    },
    Chore {
        name: "nights",
        arguments: "[--seeds N] [--from S] [--mode M] [--story] [--plant NAME] [--list] [--hash] [--renew] [--journal]",
        about: "play simulated nights, each from a seed, and say what they broke",
        run: nights::run_chore,
    },
    Chore {
        name: "evidence",
        arguments: "--keep DIR | --compare DIR [-- FILTER…]",
        about: "keep what the tests make windlass say and leave, or compare it with what an earlier version said and left",
        run: evidence::run_chore,
    },
    Chore {
        name: "inputs",
        arguments: "DIR [--program WINDLASS]",
        about: "run real plan and task files through the program: what works, what is refused, what looks misread",
        run: inputs::run_chore,
    },
    Chore {
        name: "containers",
        arguments: "[-- FILTER…]",
        about: "run the tests with real containers; a minute, with the engines of this machine",
        run: containers::run_chore,
    },
    Chore {
        name: "chaos",
        arguments: "[--runs N] [--seed S]",
        about: "run tasks on a fleet of which one of anything is killed every two seconds; minutes for each run",
        run: chaos::run_chore,
    },
    Chore {
        name: "places",
        arguments: "[--smoke | NAME…] [-- FILTER…]",
        about: "run the tests in other places: home, /tmp, spaces, links, an ordinary user, no bwrap; --smoke: some, without building",
        run: places::run_chore,
    },
    Chore {
        name: "man",
        arguments: "[DIR]",
        about: "write the manual pages, one for each verb; into target/man/ where no folder is named",
        run: man::run_chore,
    },
    Chore {
        name: "docs",
        arguments: "",
        about: "check the spelling of what people read, and build the site of it in target/site/",
        run: docs::run_chore,
    },
    Chore {
        name: "screen",
        arguments: "",
        about: "record the screens of the demo and of the terminal view anew",
        run: |workspace, _| docs::record_screen(workspace),
    },
    Chore {
        name: "screens",
        arguments: "",
        about: "take the pictures of the page, the report and the terminal view anew, from a real browser and tmux",
        run: screens::run_chore,
    },
    Chore {
        name: "release",
        arguments: "[--target TRIPLE] [--program FILE] [--into DIR]",
        about: "make what is published of a version: archive, .deb, npm package, SBOM, install.sh, checksums; in target/release-files/",
        run: release::run_chore,
    },
    Chore {
        name: "first-hour",
        arguments: "[--from DIR | --program FILE] [--within here|bwrap|podman|docker]…",
        about: "install a release where there is no Rust, see the demo and a first run, and say how long it took",
        run: first_hour::run_chore,
    },
    Chore {
        name: "fuzz",
        arguments: "[TARGET…] [--seconds N]",
        about: "run the fuzz targets guided by coverage, a minute each; needs a C++ compiler",
        run: fuzz::run_chore,
    },
    Chore {
        name: "mutants",
        arguments: "[core|agents|engine] [PATH…] [--sample N] [--only WORDS…]",
        about: "break the code of crates, one thing at a time, and see whether tests notice",
        run: mutants::run_chore,
    },
    Chore {
        name: "api",
        arguments: "STORY.json",
        about: "a stand-in Messages API, to try the real agent by hand",
        run: |_, arguments| stand_in::run_chore(arguments),
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (name, rest) = arguments.split_first().map_or(("", &[][..]), |(name, rest)| (name.as_str(), rest));
    let Some(chore) = CHORES.iter().find(|chore| chore.name == name) else {
        if !matches!(name, "" | "-h" | "--help" | "help") {
            eprintln!("error: there is no chore `{name}`\n");
        }
        print_help();
        return ExitCode::from(2);
    };
    match Workspace::find().and_then(|workspace| (chore.run)(&workspace, rest)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn print_help() {
    eprintln!("cargo xtask CHORE");
    for chore in CHORES {
        eprintln!("  {:<22} {}", format!("{} {}", chore.name, chore.arguments), chore.about);
    }
}
