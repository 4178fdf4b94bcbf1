use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use windlass_core::fact::{CheckKind, SuspicionKind};
use windlass_core::guard::TestsAction;

use super::*;

struct Bed {
    folder: tempfile::TempDir,
}

impl Bed {
    fn new(files: &[(&str, &str)]) -> Bed {
        let bed = Bed { folder: tempfile::tempdir().unwrap() };
        for (path, text) in files {
            bed.write(path, text);
        }
        bed
    }

    fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn program(&self, path: &str, text: &str) {
        let path = self.write(path, text);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn place(&self) -> Place {
        Place::new(&self.root(), None)
    }

    fn inspect(&self, command: &str, search_path: &str) -> GuardPlan {
        let check =
            Check { kind: CheckKind::Gate, command: command.to_owned(), timeout: Duration::from_secs(1) };
        let wanted =
            GuardSettings { action: GuardAction::Refuse, tests: TestsAction::Hold, protected: Vec::new() };
        inspect(&self.place(), &[check], &wanted, &OsString::from(search_path))
    }

    fn files(&self, command: &str) -> Vec<String> {
        self.inspect(command, "").files.into_iter().map(|file| file.path).collect()
    }
}

#[test]
fn what_checks_start_is_guarded_and_what_that_starts() {
    let bed = Bed::new(&[
        ("check.sh", "#!/bin/sh\nset -e\n./ci/inner.sh # ./not-this.sh\nmake -C sub\n"),
        ("ci/inner.sh", "python scripts/more.py"),
        ("scripts/more.py", ""),
        ("sub/Makefile", "all:\n\t@sh ../deep.sh\n"),
        ("sub/makefile", "all:\n\t@sh ../deep.sh\n"),
        ("deep.sh", ""),
        ("not-this.sh", ""),
        ("app.py", ""),
        ("work.txt", ""),
        ("built", "\u{7f}ELF"),
    ]);
    bed.write("sub/deep.sh", "");
    assert_eq!(
        bed.files("./check.sh && python app.py && grep -q x work.txt && ./built && ./missing.sh"),
        ["check.sh", "ci/inner.sh", "deep.sh", "scripts/more.py", "sub/GNUmakefile", "sub/makefile",]
    );
    assert_eq!(bed.files("cargo test"), Vec::<String>::new());
}

#[test]
fn scripts_of_a_package_are_followed() {
    let bed = Bed::new(&[
        ("package.json", r#"{"scripts":{"test":"bash test.sh","build":"bash build.sh"}}"#),
        ("test.sh", ""),
        ("build.sh", ""),
        ("jest.config.js", ""),
    ]);
    assert_eq!(bed.files("npm test"), ["jest.config.js", "test.sh"]);
    assert_eq!(bed.inspect("npm test", "").scripts, ["posttest", "pretest", "test"]);
}

#[test]
fn files_outside_the_project_and_loops_do_no_harm() {
    let bed = Bed::new(&[("a.sh", "./b.sh"), ("b.sh", "./a.sh"), ("c/x", "")]);
    assert_eq!(bed.files("./a.sh; /bin/sh ../../etc/passwd; ./c; sh /dev/zero"), ["a.sh", "b.sh"]);
}

#[test]
fn a_tool_is_another_one_when_the_project_shadows_or_changes_it() {
    let bed = Bed::new(&[]);
    bed.program("elsewhere/tool", "a");
    let outside = Bed::new(&[]);
    outside.program("tool", "real");
    let path = format!("{}/bin:{}", bed.root().display(), outside.root().display());
    let plan = bed.inspect("tool --check", &path);
    assert_eq!(plan.tools.len(), 1);
    let changed = || changed_tools(&bed.place(), &plan.tools, &OsString::from(&path));
    assert_eq!(changed(), []);
    // It cannot be executed: no shell finds it.
    bed.write("bin/tool", "x");
    assert_eq!(changed(), []);
    bed.program("bin/tool", "x");
    let found = changed();
    assert_eq!((found[0].kind, found[0].path.as_str()), (SuspicionKind::Tool, "bin/tool"));
    assert!(found[0].sentence.starts_with("shadows "), "{found:?}");
    // Where it was there before, its content counts; what is changed outside is not the project's.
    let plan = bed.inspect("tool", &path);
    outside.program("tool", "other");
    assert_eq!(changed_tools(&bed.place(), &plan.tools, &OsString::from(&path)), []);
    bed.program("bin/tool", "y");
    assert_eq!(changed_tools(&bed.place(), &plan.tools, &OsString::from(&path)).len(), 1);
    // Without a folder of the project in the search path nothing is looked at.
    assert_eq!(bed.inspect("tool", "/usr/bin:/bin").tools, []);
}

#[test]
fn a_link_that_leads_elsewhere_is_another_tool() {
    let bed = Bed::new(&[]);
    bed.program("one", "1");
    bed.program("two", "2");
    fs::create_dir(bed.root().join("bin")).unwrap();
    std::os::unix::fs::symlink("../one", bed.root().join("bin/tool")).unwrap();
    let plan = bed.inspect("tool", "bin");
    assert_eq!(changed_tools(&bed.place(), &plan.tools, &OsString::from("bin")), []);
    bed.program("one", "changed behind the link");
    assert_eq!(changed_tools(&bed.place(), &plan.tools, &OsString::from("bin")).len(), 1);
}
