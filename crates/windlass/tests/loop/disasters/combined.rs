//! Several disasters in one attempt, in any order.

use windlass_testkit::TestEnv;

use super::place::{LAYOUTS, Layout, Place};
use super::{Night, damaged, printed, run, script, typed};

/// What may follow whatever was done before.
const STEPS: &[&str] = &[
    "git reset -q --hard",
    "git clean -qfd",
    "git reset -q --hard HEAD~1",
    "git commit -q --allow-empty --amend -m other",
    "git checkout -qf other",
    "git checkout -qf --detach",
    "git branch -qD packed",
    "git stash clear",
    "git merge -q other",
    "git rebase -q other",
    "git cherry-pick other",
    "git switch -q -c new",
    "git config user.name Mallory",
    "git rm -qrf --cached .",
    "rm -f \"$(git rev-parse --git-dir)/index\"",
    "touch \"$(git rev-parse --git-dir)/index.lock\"",
    "git reflog expire --expire=now --all; git gc -q --prune=now",
    "rm -rf deep; echo x > deep",
    "rm a.txt; mkdir a.txt; echo x > a.txt/in",
    "git pack-refs --all",
    "echo work > work",
    "chmod -x run.sh; rm link; echo x > link",
    "git init -q",
    "rm -rf .git",
];

#[test]
fn whatever_is_done_in_one_attempt_is_undone_by_the_printed_command() {
    for seed in 0..6_u64 {
        let layout = LAYOUTS[usize::try_from(seed).unwrap() % LAYOUTS.len()];
        let commands = steps(seed, layout).join("; ");
        let env = TestEnv::new();
        let place = Place::new(&env, layout);
        let before = place.promised(&env);
        let night = Night::within(env, &script(&format!("{commands}; true")));
        run(&night, &place, "1", &[]);
        if damaged(&night).is_empty() {
            // Ordinary work is undone by the same command.
            let runs = night.folder();
            let run = runs.file_name().unwrap().to_string_lossy().into_owned();
            typed(&night, &place, &format!("windlass restore {run} 1 --before --repository"));
        } else {
            typed(&night, &place, &printed(&night));
        }
        before.assert_is_back(place.promised(&night.env), &format!("seed {seed}, {layout:?}: {commands}"));
    }
}

/// Two to six steps. What lies in `.git` of a submodule is not promised.
fn steps(seed: u64, layout: Layout) -> Vec<&'static str> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % u64::try_from(below).unwrap()).unwrap()
    };
    let count = 2 + next(5);
    let picked = (0..count).map(|_| STEPS[next(STEPS.len())]);
    picked.filter(|step| layout != Layout::WithSubmodule || !step.starts_with("rm -rf .git")).collect()
}
