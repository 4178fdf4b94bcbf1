use std::collections::BTreeSet;

use super::*;

fn clues(files: &[&str]) -> Clues {
    Clues { files: files.iter().map(|file| (*file).to_owned()).collect(), ..Clues::default() }
}

fn offered(clues: &Clues) -> Vec<&'static str> {
    offers(clues).iter().map(|offer| offer.command).collect()
}

// rows: 138
// Seed defect D2, src/config.rs:248, 260: `*.csproj` was looked for as a name, and `bun.lock` was not known.
#[test]
fn every_type_is_known_by_its_files_and_has_its_commands() {
    for (files, name, commands) in [
        (
            &["Cargo.toml"][..],
            "rust",
            &["cargo test", "cargo build", "cargo clippy --all-targets -- -D warnings"][..],
        ),
        (&["package.json"], "node", &["npm test", "npm run build", "npm run lint"]),
        (&["package.json", "yarn.lock"], "node", &["yarn test", "yarn build", "yarn lint"]),
        (&["package.json", "pnpm-lock.yaml"], "node", &["pnpm test", "pnpm run build", "pnpm run lint"]),
        (&["package.json", "bun.lock"], "bun", &["bun test", "bun run build", "bun run lint"]),
        (&["package.json", "bun.lockb"], "bun", &["bun test", "bun run build", "bun run lint"]),
        (&["setup.py"], "python", &["python3 -m pytest", "ruff check"]),
        (&["pyproject.toml", "uv.lock"], "python", &["uv run pytest", "uv run ruff check"]),
        (&["go.mod"], "go", &["go test ./...", "go build ./...", "go vet ./..."]),
        (&["Makefile"], "make", &["make test", "make build", "make lint"]),
        (&["pom.xml"], "maven", &["mvn test", "mvn compile"]),
        (
            &["build.gradle.kts", "gradlew"],
            "gradle",
            &["./gradlew test", "./gradlew build", "./gradlew check"],
        ),
        (&["App.csproj"], "dotnet", &["dotnet test", "dotnet build", "dotnet format --verify-no-changes"]),
        (&["App.sln"], "dotnet", &["dotnet test", "dotnet build", "dotnet format --verify-no-changes"]),
        (&["README.md", ".csproj.user", "cargo.toml"], "generic", &[]),
        (&[], "generic", &[]),
    ] {
        let names: Vec<&str> = types(files.iter().copied()).into_iter().map(Into::into).collect();
        assert_eq!(names, [name], "{files:?}");
        assert_eq!(offered(&clues(files)), commands, "{files:?}");
    }
}

#[test]
fn a_project_of_several_types_has_the_language_before_its_wrapper() {
    let files = ["Makefile", "go.mod", "package.json"];
    let names: Vec<&str> = types(files).into_iter().map(Into::into).collect();
    assert_eq!(names, ["node", "go", "make"]);
}

// rows: 138
#[test]
fn scripts_and_targets_that_do_not_exist_are_not_offered() {
    let mut node = clues(&["package.json"]);
    node.scripts =
        package_scripts("\u{feff}{\"scripts\":{\"test\":\"vitest run\",\"dev\":\"vite\",\"lint\":7}}");
    assert_eq!(offered(&node), ["npm test"]);
    let new = r#"{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}"#;
    assert_eq!(package_scripts(new), Some(BTreeSet::new()));
    assert_eq!(package_scripts("{}"), Some(BTreeSet::new()));
    for broken in ["", "[]", "{\"scripts\":", "\u{0}"] {
        assert_eq!(package_scripts(broken), None, "{broken}");
    }
    let mut bun = clues(&["package.json", "bun.lock"]);
    bun.scripts = package_scripts("{}");
    assert_eq!(offered(&bun), ["bun test"]);

    let mut make = clues(&["Makefile"]);
    make.targets =
        make_targets("CC := gcc\nX=a:b\n# lint: x\n.PHONY: all\nall test: build.o\n\techo lint: no\r\n");
    assert_eq!(offered(&make), ["make test"]);
    for unknown in ["include rules.mk\n", "test-%:\n\tx\n", "$(NAME): x\n"] {
        assert_eq!(make_targets(unknown), None, "{unknown}");
    }
}

// rows: 32
#[test]
fn no_usual_command_writes_history_or_leaves_the_machine() {
    let everything = TOOLS.iter().flat_map(|tool| tool.files).copied();
    for command in usual_commands(everything) {
        for word in ["push", "commit", "reset", "install", "publish", "deploy", "clean", "exec"] {
            assert!(!command.contains(word), "{command}");
        }
    }
}
