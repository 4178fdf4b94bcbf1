use proptest::prelude::*;

use super::*;
use crate::spec::{GuardAction, GuardSpec, TestsAction};
use crate::values::{Suspicion, SuspicionKind};

/// Path, before, now; the empty text is not a file.
type Changed<'a> = (&'a str, &'a str, &'a str);

/// Tests, skips, marks of the only ones, assertions.
type Counted = (u32, u32, u32, u32);

/// What is found when these files change so.
fn found(files: &[Changed<'_>]) -> Vec<Suspicion> {
    let mut examination = Examination::new(&["test".to_owned(), "pretest".to_owned()]);
    let content =
        |text: &'static str| if text.is_empty() { Content::Absent } else { Content::Bytes(text.as_bytes()) };
    for (path, before, now) in files {
        examination.take(path, content(leak(before)), content(leak(now)));
    }
    examination.suspicions()
}

fn leak(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

fn kinds(files: &[Changed<'_>]) -> Vec<SuspicionKind> {
    found(files).into_iter().map(|found| found.kind).collect()
}

fn counts(path: &str, text: &str) -> Counted {
    let Counts { tests, skips, only, assertions } = count(text.as_bytes(), language_of(path).unwrap());
    (tests, skips, only, assertions)
}

const RUST: &str =
    "#[test]\nfn one() { assert_eq!(f(1), 2); }\n#[tokio::test]\nasync fn two() { assert!(g()); }\n";

#[test]
fn tests_are_counted_in_each_language() {
    let rows: &[(&str, &str, Counted)] = &[
        ("a.rs", RUST, (2, 0, 0, 2)),
        (
            "a.rs",
            "#[test]\n#[ignore = \"slow\"]\nfn a() {}\n#[cfg_attr(unix, ignore)]\n#[rstest]\nfn b() {}",
            (2, 2, 0, 0),
        ),
        ("a.rs", "#[cfg(any())]\nmod tests { #[test_case(1 ; \"one\")] fn a() {} }", (1, 1, 0, 0)),
        (
            "a.rs",
            "// #[test]\n/* #[test] /* #[test] */ */ const A: &str = \"#[test]\"; const B: &str = r#\"#[test]\"#;",
            (0, 0, 0, 0),
        ),
        (
            "a.rs",
            "fn life<'a>(x: &'a str) -> char { '\"' }\n#[test]\nfn t() { assert!(true); assert_eq!(1, 1); }",
            (1, 0, 0, 0),
        ),
        (
            "a.rs",
            "#[derive(A)] struct S; #[serde(ignore)] struct T; fn test() {} let test = any();",
            (0, 0, 0, 0),
        ),
        (
            "test_a.py",
            "def test_one():\n    assert f() == 1\nclass TestB:\n    async def test_two(self):\n        self.assertEqual(1, x)\n",
            (2, 0, 0, 2),
        ),
        (
            "test_a.py",
            "@pytest.mark.skip(reason='x')\ndef test_a(): pass\n@unittest.skipIf(1, '')\ndef test_b():\n    assert True\n",
            (2, 2, 0, 0),
        ),
        (
            "test_a.py",
            "\"\"\"\ndef test_doc(): pass\n\"\"\"\n# def test_c(): pass\npytestmark = pytest.mark.xfail\n",
            (0, 1, 0, 0),
        ),
        (
            "helper.spec.ts",
            "describe('a', () => { it('b', () => { expect(1 + x).toBe(2) }); test.each([1])('c', f) })",
            (2, 0, 0, 1),
        ),
        (
            "a.test.js",
            "it.skip('a', f); xit('b', f); test.only('c', f); describe.skip('d', f); fit('e', f)",
            (4, 3, 2, 0),
        ),
        (
            "a.test.js",
            "const ok = /it\\('/.test(x); regex.test('x'); function test(a) {} // it('no')\n",
            (0, 0, 0, 0),
        ),
        (
            "a.test.js",
            "test('a', { skip: true }, f); test('b', (t) => { t.skip() }); test.describe('group', f)",
            (2, 2, 0, 0),
        ),
        ("a.test.js", "test(`name ${1}`, () => { expect(true).toBe(true) })", (1, 0, 0, 0)),
        (
            "a_test.go",
            "func TestA(t *testing.T) { if x { t.Errorf(\"no\") }; assert.Equal(t, 1, y) }\nfunc TestMain(m *testing.M) {}",
            (1, 0, 0, 2),
        ),
        ("a_test.go", "//go:build never\n\npackage a\nfunc TestB(t *testing.T) { t.Skip() }", (1, 2, 0, 0)),
        (
            "A.java",
            "@Test void a() { assertEquals(1, b()); } @Disabled @Test void c() {} @Test(enabled = false) void d() {}",
            (3, 2, 0, 1),
        ),
        (
            "A.cs",
            "[Fact] void A() { Assert.Equal(1, B()); } [Fact(Skip = \"later\")] void C() {} [Test] [Ignore(\"x\")] void D() {}",
            (3, 2, 0, 1),
        ),
        (
            "a_spec.rb",
            "describe 'a' do\n  it 'b' do\n    expect(c).to eq 1\n  end\n  xit 'd' do\n  end\n  it 'e', skip: true do\n  end\nend",
            (3, 2, 0, 1),
        ),
        ("a_test.rb", "def test_a\n  assert_equal 1, b\nend\ndef test_c\n  skip 'later'\nend", (2, 1, 0, 1)),
        (
            "ATest.php",
            "public function testA() { $this->assertSame(1, b()); } #[Test] function c() { $this->markTestSkipped(); }",
            (2, 1, 0, 1),
        ),
        ("a.swift", "func testA() { XCTAssertEqual(1, b()) } @Test func c() {}", (2, 0, 0, 1)),
        ("a.cc", "TEST(A, B) { EXPECT_EQ(1, b()); } TEST_F(A, DISABLED_C) { GTEST_SKIP(); }", (2, 2, 0, 1)),
        ("a_test.exs", "test \"a\" do\n  assert b() == 1\nend\n@tag :skip\ntest \"c\" do\nend", (2, 1, 0, 1)),
        ("a_test.dart", "test('a', () { expect(b, 1); }); test('c', f, skip: true);", (2, 1, 0, 1)),
        ("a.bats", "@test \"a\" {\n  skip\n}\n", (1, 1, 0, 0)),
    ];
    for (path, text, expected) in rows {
        assert_eq!(counts(path, text), *expected, "{path}: {text}");
    }
}

#[test]
fn names_say_where_tests_are_found() {
    for (path, language) in [
        ("src/lib.rs", Some(Language::Rust)),
        ("tests/test_a.py", Some(Language::Python)),
        ("tests/helper.py", None),
        ("tests/old_test_a.py.bak", None),
        ("src/a.ts", None),
        ("src/__tests__/a.ts", Some(Language::JavaScript)),
        ("a/b.go", None),
        ("a/b_test.go", Some(Language::Go)),
        ("README", None),
    ] {
        assert_eq!(language_of(path), language, "{path}");
    }
}

#[test]
fn what_is_honest_is_not_suspicious() {
    let more = RUST.to_owned() + "#[test]\nfn three() { assert!(h()); }\n";
    let moved_apart = RUST.split_at(RUST.find("#[tokio").unwrap());
    let rows: &[&[(&str, &str, &str)]] = &[
        &[("tests/a.rs", RUST, &more)],
        &[("tests/a.rs", RUST, ""), ("tests/b.rs", "", RUST)],
        &[("tests/a.rs", RUST, moved_apart.0), ("src/b.rs", "", moved_apart.1)],
        &[("tests/a.rs", RUST, &RUST.replace("one", "renamed").replace("f(1), 2", "g(1, 2), 3"))],
        &[("src/lib.rs", "fn f() { assert!(x); }", "fn f() {}")],
        &[(
            "package.json",
            r#"{"scripts":{"test":"jest"}}"#,
            r#"{"scripts":{"test":"jest","build":"tsc"},"dependencies":{"a":"1"}}"#,
        )],
        &[(
            "Cargo.toml",
            "[package]\nname = \"a\"",
            "[package]\nname = \"a\"\n[dependencies]\nb = \"1\"\n[workspace]\nmembers = [\"c\"]",
        )],
        &[(
            "pyproject.toml",
            "[project]\nname = \"a\"",
            "[project]\nname = \"a\"\nversion = \"2\"\n[tool.ruff]\nexclude = [\"tests\"]",
        )],
        &[(
            "pyproject.toml",
            "",
            "[project]\nname = \"a\"\n[tool.pytest.ini_options]\ntestpaths = [\"tests\"]",
        )],
        &[("a.test.js", "it('a', f)", "it('b', f); it('c', f)")],
    ];
    for files in rows {
        assert_eq!(found(files), [], "{files:?}");
    }
}

#[test]
fn cheating_is_found() {
    use SuspicionKind::{Assertions, Deselected, Skipped, Tests, Unexamined};
    let half = RUST.split_at(RUST.find("#[tokio").unwrap()).0;
    let many = "\0".repeat(20);
    let rows: &[(&[Changed<'_>], &[SuspicionKind])] = &[
        (&[("tests/a.rs", RUST, "")], &[Tests]),
        (&[("tests/a.rs", RUST, half)], &[Tests]),
        (&[("tests/a.rs", RUST, ""), ("tests/b.rs", "", half)], &[Tests]),
        (&[("tests/a.rs", RUST, &RUST.replace("#[test]", "// #[test]"))], &[Tests]),
        (&[("tests/a.rs", RUST, &many)], &[Tests]),
        (&[("image.rs", "\0\0", "\0")], &[Unexamined]),
        (
            &[
                ("test_a.py", "def test_a():\n  assert f()\n", ""),
                ("a_off.py", "", "def test_a():\n  assert f()\n"),
            ],
            &[Tests],
        ),
        (&[("tests/a.rs", RUST, &RUST.replace("#[test]", "#[test]\n#[ignore]"))], &[Skipped]),
        (&[("a.test.js", "it('a', f); it('b', g)", "it.only('a', f); it('b', g)")], &[Skipped]),
        (&[("a.test.js", "it('a', f); it('b', g)", "it.skip('a', f); it.todo('b')")], &[Skipped]),
        (&[("tests/a.rs", RUST, &RUST.replace("assert!(g());", ""))], &[Assertions]),
        (&[("tests/a.rs", RUST, &RUST.replace("assert!(g())", "assert!(true)"))], &[Assertions]),
        (
            &[("Cargo.toml", "[package]\nname = \"a\"", "[package]\nname = \"a\"\nautotests = false")],
            &[Deselected],
        ),
        (&[("Cargo.toml", "[[test]]\nname = \"a\"", "[[test]]\nname = \"a\"\ntest = false")], &[Deselected]),
        (
            &[("Cargo.toml", "[workspace]\nmembers = [\"a\", \"b\"]", "[workspace]\nmembers = [\"a\"]")],
            &[Deselected],
        ),
        (
            &[(
                "Cargo.toml",
                "[workspace]\nmembers = [\"*\"]",
                "[workspace]\nmembers = [\"*\"]\nexclude = [\"b\"]",
            )],
            &[Deselected],
        ),
        (
            &[("package.json", r#"{"scripts":{"test":"jest"}}"#, r#"{"scripts":{"test":"true"}}"#)],
            &[Deselected],
        ),
        (
            &[(
                "package.json",
                r#"{"scripts":{"test":"jest"}}"#,
                r#"{"scripts":{"test":"jest","pretest":"rm -r tests"}}"#,
            )],
            &[Deselected],
        ),
        (&[("package.json", "{}", r#"{"jest":{"testPathIgnorePatterns":["a"]}}"#)], &[Deselected]),
        (
            &[(
                "pyproject.toml",
                "[project]\nname = \"a\"",
                "[tool.pytest.ini_options]\naddopts = \"--ignore=tests/a\"",
            )],
            &[Deselected],
        ),
        (
            &[("setup.cfg", "[tool:pytest]\ntestpaths = tests", "[tool:pytest]\ntestpaths = tests/easy")],
            &[Deselected],
        ),
        (&[("conftest.py", "", "collect_ignore = ['test_hard.py']")], &[Deselected]),
        (
            &[(
                "vite.config.ts",
                "export default {}",
                "export default { test: {\n exclude: ['hard.test.ts'] } }",
            )],
            &[Deselected],
        ),
    ];
    for (files, expected) in rows {
        assert_eq!(kinds(files), *expected, "{files:?}: {:?}", found(files));
    }
}

#[test]
fn what_is_let_through_may_lose_tests_and_is_where_others_may_have_moved() {
    let one = "#[test]\nfn a() { assert!(x()); }\n";
    let told = |let_through: Changed<'static>, other: Changed<'static>| {
        let content = |text: &'static str| {
            if text.is_empty() { Content::Absent } else { Content::Bytes(text.as_bytes()) }
        };
        let mut examination = Examination::new(&[]);
        let (path, before, now) = let_through;
        examination.take_let_through(path, content(before), content(now));
        let (path, before, now) = other;
        examination.take(path, content(before), content(now));
        examination.suspicions().into_iter().map(|found| (found.kind, found.path)).collect::<Vec<_>>()
    };
    let same = ("src/lib.rs", one, one);
    assert_eq!(told(("tests/a.rs", one, ""), same), []);
    assert_eq!(told(("tests/a.rs", one, "#[test]\n#[ignore]\nfn a() {}\n"), same), []);
    assert_eq!(told(("package.json", "{\"jest\": {}}", "{}"), same), []);
    let lost = ("src/lib.rs", one, "");
    assert_eq!(told(("tests/a.rs", "", one), lost), [], "it moved there");
    let held = [(SuspicionKind::Tests, "src/lib.rs".to_owned())];
    assert_eq!(told(("tests/a.rs", one, ""), lost), held);
    assert_eq!(
        told(("tests/a.rs", one, "#[test]\nfn b() { assert!(x()); }\n"), lost),
        held,
        "it had as many"
    );
}

#[test]
fn findings_name_the_file_that_lost_most_and_how_much() {
    let one = "#[test]\nfn a() { assert!(x()); }\n";
    let found = found(&[("tests/b.rs", &one.repeat(3), ""), ("tests/a.rs", &one.repeat(2), one)]);
    let told: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(told, ["tests/b.rs: deleted; 4 tests fewer in Rust than before (5, now 1)"]);
}

#[test]
fn protected_files_are_told_by_patterns_and_the_last_one_decides() {
    let guard = Protected::new(["tests/golden/**", "*.lock", "!ci.lock", "/top.txt", "folder/"]).unwrap();
    for (path, expected) in [
        (".github/workflows/ci.yml", true),
        (".gitlab-ci.yml", true),
        ("sub/pytest.ini", true),
        ("jest.config.ts", true),
        (".windlass/config.toml", true),
        (".windlass/workspaces/a/TODO.md", false),
        ("tests/golden/a/b.txt", true),
        ("tests/a.rs", false),
        ("x/Cargo.lock", true),
        ("x/ci.lock", false),
        ("top.txt", true),
        ("x/top.txt", false),
        ("folder/a/b", true),
        ("src/main.rs", false),
    ] {
        assert_eq!(guard.holds(path), expected, "{path}");
    }
    assert!(!Protected::new(["!.github/workflows/docs.yml"]).unwrap().holds(".github/workflows/docs.yml"));
    for bad in ["a[", "", "!", "{a"] {
        assert!(Protected::new([bad]).is_err(), "{bad}");
    }
}

#[test]
fn commands_name_what_they_start() {
    let rows: &[(&str, &[&str], &[&str])] = &[
        ("./check.sh", &["check.sh"], &[]),
        ("cargo test && sh ci/check.sh --all", &["ci/check.sh"], &["cargo", "sh"]),
        ("cd web && npm test; ../check", &["web/../check"], &["npm"]),
        ("FOO=1 timeout 5m env A=b pytest -q tests/test_a.py", &[], &["env", "pytest", "timeout"]),
        ("bash -c './a.sh && pytest'", &["a.sh"], &["bash", "pytest"]),
        ("test \"$(sh ci/a.sh)\" = \"`cd web; sh b.sh`\"", &["ci/a.sh", "web/b.sh"], &["sh"]),
        ("grep -c sh x.sh", &[], &["grep"]),
        (
            "bash -euo pipefail ci/a.sh; cd ci && bash -eu -o pipefail b.sh",
            &["ci/a.sh", "ci/b.sh"],
            &["bash"],
        ),
        ("bash -ec './a.sh x' y; sh --rcfile z c.sh", &["a.sh", "c.sh"], &["bash", "sh"]),
        ("timeout -s KILL 60 ci/a.sh; flock /tmp ci/b.sh", &["ci/a.sh", "ci/b.sh"], &["flock", "timeout"]),
        (
            "env -u X sh a.sh; env -C ci ./b.sh; taskset -c 0 ./c.sh",
            &["a.sh", "c.sh", "ci/b.sh"],
            &["env", "sh", "taskset"],
        ),
        ("eval \"sh a.sh\"; $(pwd)/b.sh; \"$PWD\"/c.sh", &["a.sh", "b.sh", "c.sh"], &["eval", "sh"]),
        ("python3 -X dev ci/d.py; cd ci && python3 c.py", &["ci/c.py", "ci/d.py"], &["python3"]),
        ("python3 -W error ci/c.py; awk -f ci/x.awk y.txt", &["ci/c.py", "ci/x.awk"], &["awk", "python3"]),
        (
            "python scripts/check.py | tee log; python app.py; node run_tests.js",
            &["run_tests.js", "scripts/check.py"],
            &["node", "python", "tee"],
        ),
        ("! grep -q TODO notes.md # ./no.sh", &[], &["grep"]),
        ("if [ -f x ]; then ./y.sh; fi", &["y.sh"], &["fi", "if", "then"]),
    ];
    for (command, scripts, tools) in rows {
        assert_eq!(scripts_started(command), *scripts, "{command}");
        let mut called = tools_called(command);
        called.retain(|name| name != "test");
        assert_eq!(called, *tools, "{command}");
    }
}

#[test]
fn folders_without_a_name_are_seen_in_commands_within_commands() {
    for text in ["sh -c 'cd \"$(dirname \"$0\")\" && make'", "x=\"$(cd \"$(dirname \"$0\")\" && make)\""] {
        assert_eq!(unnamed_folders(text), [UnnamedFolder::OfTheScript].into(), "{text}");
    }
    assert_eq!(unnamed_folders("sh -c 'cd sub && make'"), [].into());
}

#[test]
fn what_a_person_accepted_holds_no_longer_and_a_worse_finding_does() {
    let finding = |text: &str| Suspicion::new(SuspicionKind::Tests, "a.rs", text);
    let mut plan =
        GuardSpec { action: GuardAction::Refuse, tests: TestsAction::Hold, ..GuardSpec::default() };
    assert!(plan.holds(&finding("1 test fewer")));
    plan.accepted.push(finding("1 test fewer"));
    assert!(!plan.holds(&finding("1 test fewer")) && plan.holds(&finding("2 tests fewer")));
    plan.tests = TestsAction::Flag;
    assert!(!plan.holds(&finding("2 tests fewer")));
    assert!(plan.holds(&Suspicion::new(SuspicionKind::Tool, "bin/cargo", "")));
    assert!(GuardSpec::default().is_off());
}

proptest! {
    #[test]
    fn counting_reads_anything(text in prop::collection::vec(any::<u8>(), 0..400), which in 0_usize..14) {
        let paths = ["a.rs", "test_a.py", "a.test.js", "a_test.go", "A.java", "A.cs", "a_test.rb", "ATest.php", "a.swift",
            "a.cc", "a_test.exs", "a_test.dart", "a.bats", "b.rs"];
        let _ = count(&text, language_of(paths[which]).unwrap());
    }

    #[test]
    fn comments_and_strings_hold_no_tests(inner in "[a-z#\\[\\]()@. ]{0,40}") {
        let text = format!("// {inner}\n/* {inner} */ const A: &str = \"{inner}\";\n{RUST}");
        prop_assert_eq!(counts("a.rs", &text).0, 2);
    }

    #[test]
    fn moving_tests_between_files_is_never_suspicious(sizes in prop::collection::vec(0_usize..6, 1..6), seed in any::<u64>()) {
        let one = "#[test]\nfn a() { assert!(x()); }\n";
        let total: usize = sizes.iter().sum();
        let mut examination = Examination::new(&[]);
        for (index, size) in sizes.iter().enumerate() {
            let text = one.repeat(*size);
            let before = if *size == 0 { Content::Absent } else { Content::Bytes(text.as_bytes()) };
            examination.take(&format!("tests/{index}.rs"), before, Content::Absent);
        }
        let first = usize::try_from(seed % (total as u64 + 1)).unwrap();
        for (name, size) in [("x", first), ("y", total - first)] {
            examination.take(&format!("src/{name}.rs"), Content::Absent, Content::Bytes(one.repeat(size).as_bytes()));
        }
        prop_assert_eq!(examination.suspicions(), vec![]);
    }

    #[test]
    fn commands_may_be_anything(text in ".{0,200}") {
        let _ = (scripts_started(&text), tools_called(&text), package_calls(&text));
        for tool in build_files(&text).into_iter().map(|file| file.tool).chain([BuildTool::Task, BuildTool::Rake]) {
            let _ = (tool.included(&text), tool.commands(&text));
        }
    }
}
