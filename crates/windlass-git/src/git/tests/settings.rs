//! Settings as they are read here and as git itself reads them.

use std::fs;

use proptest::prelude::*;
use windlass_core::damage::settings_in;

use crate::git::Repository;
use crate::git::call::{Call, zero_ended};
use crate::testing::Scratch;

/// Names, and values where there are some.
type Settings = Vec<(Vec<u8>, Option<Vec<u8>>)>;

/// What git says of a file: names, and values where there are some; `None` where it refuses it.
fn as_git_reads(scratch: &Scratch, text: &str) -> Option<Settings> {
    let file = scratch.state.join("config");
    fs::write(&file, text).unwrap();
    let (worked, said) =
        scratch.try_git(&scratch.top, &["config", "--list", "-z", "--file", file.to_str().unwrap()]);
    let setting = |part: &[u8]| match memchr::memchr(b'\n', part) {
        Some(end) => (part[..end].to_vec(), Some(part[end + 1..].to_vec())),
        None => (part.to_vec(), None),
    };
    worked.then(|| zero_ended(said.as_bytes()).map(setting).collect())
}

fn as_read_here(text: &str) -> Option<Settings> {
    Some(settings_in(text.as_bytes())?.into_iter().map(|setting| (setting.name, setting.value)).collect())
}

/// What files are put together from; what is frequent in them stands there more than once.
const PIECES: &[&str] = &[
    "[core]\n",
    "[core]\n",
    "[branch \"a\"]\n",
    "[a.B]",
    "[x \"]\\\"\\\\\"]\n",
    "fsmonitor = x",
    "\tHooksPath=y",
    "bare",
    "a = \" b ; c \"",
    "\n",
    "\n",
    "\n",
    "\r\n",
    "\r",
    "\\\n",
    " # c\n",
    "; c",
    " \t",
    "\\t\\n\\\\",
    "\"",
    "[",
    "]",
    "\u{feff}",
    "é",
    "=",
    "\u{b}",
    "\u{a0}",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    // Files that git refuses may be read in part here, and the reverse would be a hole: what git reads is read just so.
    #[test]
    fn what_git_reads_is_read_just_so(
        text in proptest::collection::vec(
            proptest::sample::select(PIECES),
            0..14,
        ),
    ) {
        let text = text.concat();
        let scratch = Scratch::repository();
        // Which blanks of a value are kept differs from git to git.
        let without_blanks = |settings: Settings| {
            let is_kept = |byte: &u8| !byte.is_ascii_whitespace();
            let kept = |value: Vec<u8>| value.into_iter().filter(is_kept).collect::<Vec<u8>>();
            settings.into_iter().map(|(name, value)| (name, value.map(kept))).collect::<Settings>()
        };
        if let Some(said) = as_git_reads(&scratch, &text) {
            prop_assert_eq!(as_read_here(&text).map(without_blanks), Some(without_blanks(said)), "{:?}", text);
        }
    }
}

// git 2.54 starts what its configuration names as a hook; an older one says at least what it was told.
#[test]
fn where_guests_are_locked_in_no_hook_of_the_configuration_is_in_force() {
    let scratch = Scratch::committed();
    scratch.git(&["config", "hook.lint.command", "./lint.sh"]);
    scratch.git(&["config", "hook.lint.event", "pre-commit"]);
    let mut repository = scratch.found();
    let asked = ["config", "--get", "hook.lint.enabled"];
    let enabled = |repository: &Repository| Call::within(repository).args(asked).run();
    assert_eq!(enabled(&repository).unwrap().code, 1);
    repository.close_filters().unwrap();
    assert_eq!(enabled(&repository).unwrap().output, b"false\n");
}
