//! What the guard reads: sources with tests, configuration of test runners, commands of checks, patterns.

use windlass_core::guard::{
    BuildTool, Content, Examination, Protected, build_files, count, language_of, needs, package_calls,
    scripts_started, tools_called,
};
use windlass_core::values::SuspicionKind;

const PATHS: &[&str] = &[
    "a.rs",
    "test_a.py",
    "a.test.ts",
    "a_test.go",
    "A.java",
    "A.cs",
    "a_spec.rb",
    "ATest.php",
    "a.swift",
    "a.cc",
    "a_test.exs",
    "a_test.dart",
    "a.bats",
    "Cargo.toml",
    "package.json",
    "pyproject.toml",
    "setup.cfg",
    "conftest.py",
];

pub(crate) fn run(data: &[u8]) {
    for path in PATHS {
        let mut same = Examination::new(&["test".to_owned()]);
        same.take(path, Content::Bytes(data), Content::Bytes(data));
        let told = same.suspicions();
        assert!(told.iter().all(|found| found.kind == SuspicionKind::Unexamined), "{path}: {told:?}");
        let mut gone = Examination::new(&[]);
        gone.take(path, Content::Bytes(data), Content::Absent);
        let fewer = gone.suspicions().iter().any(|found| found.kind == SuspicionKind::Tests);
        let text = is_text(data);
        let counted = language_of(path).map(|language| count(data, language).tests).unwrap_or_default();
        assert!(!text || fewer == (counted > 0), "{path}: tests that are gone are missed");
    }
    let text = String::from_utf8_lossy(data);
    for script in scripts_started(&text) {
        assert!(!script.is_empty());
    }
    let _ = (tools_called(&text), build_files(&text), package_calls(&text));
    for tool in [BuildTool::Make, BuildTool::Just, BuildTool::Task, BuildTool::Rake] {
        let _ = (tool.included(&text), tool.commands(&text));
    }
    for need in needs(&text) {
        assert!(!format!("{need:?}").contains("\"\""), "a check needs something without a name: {need:?}");
    }
    if let Ok(protected) = Protected::new(text.lines()) {
        assert!(!(protected.holds("src/main.rs") && protected.lets_through("src/main.rs")));
    }
}

/// Is it text, as far as its beginning says?
fn is_text(data: &[u8]) -> bool {
    !data.iter().take(8192).any(|byte| *byte == 0)
}
