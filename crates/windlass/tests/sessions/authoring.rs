//! `setup` and `edit`: what they write, what they refuse, what can be undone.

use super::desk::{CLEARED, Desk, PATIENCE, strip, undo};

// rows: 7, 99
#[test]
fn setup_writes_instructions_with_a_person_and_counts_it() {
    let desk = Desk::new(&[]);
    let mut command = desk.windlass(&["setup", "api", "--mock"]);
    let mut terminal = windlass_testkit::environment::PersonsTerminal::start(&mut command);
    terminal.wait_for("What is to be done?");
    terminal.press("Port the parser\r");
    assert_eq!(terminal.wait(), 0, "{}", terminal.text());
    assert!(desk.text("INSTRUCTIONS.md").starts_with("# Port the parser\n"));
    assert!(desk.text("TODO.md").contains("- [ ] The first item"));
    let said = strip(&terminal.text());
    for piece in ["the instructions of api are written", "next  windlass validate api", "windlass run api"] {
        assert!(said.contains(piece), "{piece}: {said}");
    }
    let metadata = desk.metadata();
    assert_eq!((&metadata["setupIterations"], &metadata["totalIterations"]), (&1.into(), &1.into()));
    assert!(terminal.is_ordinary());
    desk.env.assert_no_processes(CLEARED);
    // What the loop's own script works off.
    let run = desk.env.run(&mut desk.windlass(&["run", "api", "--no-delay", "--mock"]), PATIENCE);
    run.expect_success("run");
}

// rows: 7
#[test]
fn what_a_session_destroyed_comes_back() {
    let append =
        "{ append = { path = '{{env:WINDLASS_WORKSPACE}}/INSTRUCTIONS.md', text = 'Also the lexer.' } }";
    let desk =
        Desk::with_instructions(&[&format!("{append}, {{ delete = 'README.md' }}, {{ say = 'Changed.' }}")]);
    desk.env.write("untracked.txt", "mine\n");
    let before = desk.env.read("README.md");
    let mut terminal = desk.sit(&["edit", "api"]);
    assert_eq!(terminal.wait(), 0, "{}", terminal.text());
    let said = strip(&terminal.text());
    assert!(said.contains("the instructions of api are changed"), "{said}");
    assert!(said.contains("1 file changed beside the instructions") && said.contains("README.md"), "{said}");
    assert!(!desk.env.project().join("README.md").exists());

    let words = undo(&terminal.text());
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let restored = desk.env.run(&mut desk.windlass(&words), PATIENCE);
    restored.expect_success("restore");
    let said = restored.stdout_text();
    assert!(said.contains("as they were before session s-") && said.contains("undo"), "{said}");
    assert_eq!(desk.env.read("README.md"), before);
    assert_eq!(desk.text("INSTRUCTIONS.md"), "# Port\n\nPort the parser.\n");

    // And forward again.
    let after: Vec<&str> = words[..3].to_vec();
    desk.env.run(&mut desk.windlass(&after), PATIENCE).expect_success("restore after");
    assert!(desk.text("INSTRUCTIONS.md").contains("Also the lexer."));
    // A session is not a run.
    let runs = desk.env.run(&mut desk.windlass(&["runs"]), PATIENCE);
    assert!(runs.stdout_text().contains("no runs yet"), "{}", runs.stdout_text());
    let resumed = desk.env.run(&mut desk.windlass(&["resume", words[1]]), PATIENCE);
    assert_eq!(resumed.code, Some(2), "{}", resumed.stderr_text());
}

#[test]
fn the_wrong_verb_is_refused_and_names_the_right_one() {
    let desk = Desk::with_instructions(&["'hang'"]);
    let refused = |arguments: &[&str], code: i32, words: &[&str]| {
        let outcome = desk.ask(arguments);
        assert_eq!(outcome.code, Some(code), "{arguments:?}: {}", outcome.stderr_text());
        for word in words {
            assert!(outcome.stderr_text().contains(word), "{word}: {}", outcome.stderr_text());
        }
    };
    refused(&["setup", "api"], 2, &["api has instructions already", "windlass edit api"]);
    refused(&["edit", "api"], 2, &["no terminal", "INSTRUCTIONS.md", "windlass run -p"]);
    refused(&["edit", "apj"], 2, &["apj", "did you mean `api`"]);
    refused(&["setup", "../api"], 2, &["../api"]);
    let inside = desk.env.run(desk.scripted(&["edit", "api"]).env("WINDLASS_RUN", "r-1"), PATIENCE);
    assert_eq!(inside.code, Some(2));
    // A heading and a comment are not instructions.
    desk.env.write(desk.file("INSTRUCTIONS.md"), "# To do\n\n<!-- write\nhere -->\n");
    refused(&["edit", "api"], 2, &["Instructions not found. Run setup first: windlass setup api"]);
    refused(&["setup", "api"], 2, &["no terminal"]);
    assert_eq!(desk.metadata()["setupIterations"], 0);
}

#[test]
fn nothing_written_is_said_and_no_success() {
    let desk = Desk::new(&["{ say = 'I wrote nothing.' }"]);
    let mut terminal = desk.sit(&["setup", "api"]);
    assert_eq!(terminal.wait(), 1, "{}", terminal.text());
    let said = strip(&terminal.text());
    assert!(said.contains("there are no instructions yet") && said.contains("windlass setup api"), "{said}");
}

#[test]
fn without_git_it_works_and_says_what_is_missing() {
    let desk =
        Desk::new(&["{ write = { path = '{{env:WINDLASS_WORKSPACE}}/INSTRUCTIONS.md', text = 'Do it.' } }"]);
    std::fs::remove_dir_all(desk.env.project().join(".git")).unwrap();
    let mut terminal = desk.sit(&["setup", "api"]);
    assert_eq!(terminal.wait(), 0, "{}", terminal.text());
    let said = strip(&terminal.text());
    assert!(said.contains("there are no snapshots") && !said.contains("windlass restore"), "{said}");
}

// attack(prompt): the agent of an interactive session reads the environment for secrets that are none of its
// holds: it has those of its own login alone, and what is withheld is said
#[test]
fn a_session_has_no_secrets_but_its_login() {
    let desk = Desk::with_instructions(&["{ bash = 'env > seen.txt' }"]);
    let mut command = desk.scripted(&["edit", "api"]);
    command.env("GITHUB_TOKEN", "of-the-forge").env("CLAUDE_CODE_OAUTH_TOKEN", "of-the-agent");
    let mut terminal = windlass_testkit::environment::PersonsTerminal::start(&mut command);
    assert_eq!(terminal.wait(), 0, "{}", terminal.text());
    let seen = desk.env.read("seen.txt");
    assert!(seen.contains("CLAUDE_CODE_OAUTH_TOKEN=") && !seen.contains("GITHUB_TOKEN"), "{seen}");
    let said = strip(&terminal.text());
    assert!(said.contains("secrets withheld from the agent: GITHUB_TOKEN"), "{said}");
}
