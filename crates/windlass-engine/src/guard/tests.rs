use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use windlass_core::spec::TestsAction;
use windlass_core::values::{CheckKind, SuspicionKind};

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

    fn inspect(&self, command: &str, search_path: &str) -> GuardSpec {
        let check = Check::new(CheckKind::Gate, command.to_owned(), Duration::from_secs(1));
        let wanted =
            GuardSettings { action: GuardAction::Refuse, tests: TestsAction::Hold, protected: Vec::new() };
        inspect(&self.place(), (&[check], &[]), &wanted, &OsString::from(search_path))
    }

    fn files(&self, command: &str) -> Vec<String> {
        self.inspect(command, "").files.into_iter().map(|file| file.path).collect()
    }
}

#[test]
fn what_an_agent_can_put_in_the_way_is_said() {
    let bed = Bed::new(&[("chk.sh", ""), ("bin/tool", ""), ("all.sh", "PATH=\"$PWD/bin:$PATH\"\ntool\n")]);
    let said = |command: &str| {
        let found = bed.inspect(command, "").unfollowed;
        found.into_iter().map(|one| (one.command, one.pattern.unwrap_or_default())).collect::<Vec<_>>()
    };
    let one = |command: &str, pattern: &str| vec![(command.to_owned(), pattern.to_owned())];
    assert_eq!(said("PATH=.:$PATH; sh chk.sh"), one("PATH=.:$PATH", ""));
    assert_eq!(said("PATH=$PWD/bin:$PATH; ./chk.sh"), one("PATH=./bin:$PATH", "bin/**"));
    assert_eq!(said("sh all.sh"), one("PATH=./bin:$PATH", "bin/**"));
    assert_eq!(said("PATH=/usr/local/bin:$PATH; ./chk.sh"), []);
    let beside = Bed::new(&[("outside.sh", "true\n"), ("built", "\0")]);
    let outside = beside.root().join("outside.sh").display().to_string();
    assert_eq!(bed.inspect(&format!("sh {outside}"), "").outside, std::slice::from_ref(&outside));
    assert_eq!(bed.inspect(&format!(". {outside} && make"), "").outside, [outside]);
    let built = beside.root().join("built").display().to_string();
    for fine in [built.as_str(), "sh /no/such/script.sh", "sh chk.sh", "/bin/sh chk.sh"] {
        assert_eq!(bed.inspect(fine, "").outside, [""; 0], "{fine}");
    }
}

#[test]
fn whatever_goes_to_the_top_is_followed_there() {
    let goes = "cd $$(git rev-parse --show-toplevel) && sh unit.sh";
    let package = r#"{"scripts": {"test": "cd \"$(git rev-parse --show-toplevel)\" && sh unit.sh"}}"#;
    let bed = Bed::new(&[
        ("sub/Makefile", &format!("all:\n\t{goes}\n")),
        ("sub/package.json", package),
        ("unit.sh", ""),
    ]);
    for command in ["make -C sub", "cd sub && npm test"] {
        assert!(bed.files(command).contains(&"unit.sh".to_owned()), "{command}: {:?}", bed.files(command));
    }
}

#[test]
fn what_would_keep_a_makefile_from_running_its_rules_is_guarded() {
    let bed = Bed::new(&[
        ("sub/Makefile", "include more.mk\ntest: unit docs\n\tsh unit.sh\n"),
        ("sub/more.mk", "unit:\n\tx\ndocs:\n\tx\n.PHONY: lint\nlint:\n\tx\n"),
        ("sub/docs/a", ""),
    ]);
    let named = |command: &str| {
        let files = bed.files(command).into_iter();
        files.filter(|path| !path.ends_with("akefile") && !path.ends_with("mk")).collect::<Vec<_>>()
    };
    for command in ["make -C sub", "cd sub; make test V=1", "make --directory sub lint test"] {
        assert_eq!(named(command), ["sub/test", "sub/unit"], "{command}");
    }
    assert_eq!(named("make -C sub lint"), Vec::<String>::new());
    let digest_of = |path: &str| digest(&bed.place(), Path::new(path));
    assert_eq!((digest_of("sub/docs"), digest_of("sub/unit")), (Some(FOLDER.to_owned()), None));
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
        ("built", "\u{7f}ELF\u{2}\0"),
    ]);
    bed.write("sub/deep.sh", "");
    assert_eq!(
        bed.files("./check.sh && python app.py && grep -q x work.txt && ./built && ./missing.sh"),
        [
            "check.sh",
            "ci/inner.sh",
            "deep.sh",
            "scripts/more.py",
            "sub/GNUmakefile",
            "sub/all",
            "sub/makefile"
        ]
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

#[test]
fn what_build_files_include_is_guarded() {
    let bed = Bed::new(&[
        (
            "Taskfile.yml",
            "version: '3'\nincludes:\n  docs: ./docs\n  ci:\n    taskfile: ci/Tasks.yml\ntasks:\n  a:\n    cmds:\n      - sh root.sh\n",
        ),
        ("docs/Taskfile.yml", "tasks:\n  a: {cmds: [sh x.sh]}\n"),
        ("ci/Tasks.yml", "tasks:\n  b:\n    cmds:\n      - cmd: sh inner.sh\n"),
        ("ci/inner.sh", ""),
        ("root.sh", ""),
        ("Rakefile", "import 'ci/a.rake'\nrequire_relative 'lib/app'\ntask(:t) { sh 'bash rake.sh' }\n"),
        ("ci/a.rake", "load 'ci/b.rake'\n"),
        ("ci/b.rake", ""),
        ("rake.sh", ""),
        ("lib/app.rb", ""),
        ("justfile", "import 'ci/x.just'\nmod sub\ntest:\n  sh root.sh\n"),
        ("ci/x.just", "y:\n  true\n"),
        ("sub/mod.just", "import 'more.just'\nz:\n  ./z.sh\n"),
        ("sub/more.just", ""),
        ("sub/z.sh", ""),
        ("ci.mk", "include ci/rules.mk\ntest:\n\tsh root.sh\n"),
        ("ci/rules.mk", ""),
    ]);
    assert_eq!(
        bed.files("task a"),
        ["Taskfile.yml", "ci/Tasks.yml", "ci/inner.sh", "docs/Taskfile.yml", "root.sh"]
    );
    let rake = bed.inspect("rake t", "");
    let files: Vec<&str> = rake.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(files, ["Rakefile", "ci/a.rake", "ci/b.rake", "rake.sh", "rakefile"]);
    assert!(rake.protected.contains(&"/rakelib/*.rake".to_owned()), "{:?}", rake.protected);
    let said: Vec<_> =
        rake.unfollowed.iter().map(|one| (one.command.as_str(), one.pattern.as_deref())).collect();
    assert_eq!(said, [("require_relative 'lib/app'", Some("lib/app.rb"))]);
    assert_eq!(
        bed.files("just test"),
        ["ci/x.just", "justfile", "root.sh", "sub/mod.just", "sub/more.just", "sub/z.sh"]
    );
    for make in ["make -f ci.mk test", "make -fci.mk", "make --file=ci.mk"] {
        assert_eq!(bed.files(make), ["ci/rules.mk", "ci.mk", "root.sh", "test"], "{make}");
    }
}

#[test]
fn scripts_of_packages_are_followed_into_others_and_into_workspaces() {
    let bed = Bed::new(&[
        (
            "package.json",
            r#"{"workspaces":["packages/*"],"scripts":{"test":"npm run unit && run-s lint:*","unit":"bash unit.sh",
                "lint:a":"bash lint.sh","other":"bash other.sh","all":"npm test -w one"}}"#,
        ),
        ("packages/one/package.json", r#"{"name":"one","scripts":{"test":"bash one.sh"}}"#),
        ("packages/one/one.sh", ""),
        (
            "packages/two/package.json",
            r#"{"name":"@a/two","scripts":{"test":"yarn deeper","deeper":"bash two.sh"}}"#,
        ),
        ("packages/two/two.sh", ""),
        ("unit.sh", ""),
        ("lint.sh", ""),
        ("other.sh", ""),
        ("check.sh", "npm test\n"),
    ]);
    assert_eq!(bed.files("npm test"), ["lint.sh", "unit.sh"]);
    assert_eq!(bed.files("sh check.sh"), ["check.sh", "lint.sh", "unit.sh"]);
    let scripts = bed.inspect("npm test", "").scripts;
    assert!(scripts.contains(&"unit".to_owned()) && scripts.contains(&"lint:a".to_owned()), "{scripts:?}");
    assert!(!scripts.contains(&"other".to_owned()), "{scripts:?}");
    let with_own = |more: &str| [more, "lint.sh", "unit.sh"].map(str::to_owned);
    let sorted = |command: &str| bed.files(command).into_iter().collect::<BTreeSet<_>>();
    assert_eq!(sorted("npm test -w one"), with_own("packages/one/one.sh").into());
    assert_eq!(sorted("npm run all"), with_own("packages/one/one.sh").into());
    assert_eq!(sorted("yarn workspace @a/two test"), with_own("packages/two/two.sh").into());
    assert_eq!(sorted("npm --prefix packages/two test"), ["packages/two/two.sh".to_owned()].into());
    assert_eq!(sorted("npm test --workspaces").len(), 4);
}
