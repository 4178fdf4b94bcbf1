//! What is printed, and what stands in the documents, can be typed: every command there is read by the real parser.

use std::fs;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use windlass_testkit::printed::{Printed, commands};

use crate::args::Cli;

/// The crates whose texts people see.
const PRODUCT: [&str; 12] = [
    "windlass",
    "windlass-agents",
    "windlass-app",
    "windlass-core",
    "windlass-engine",
    "windlass-forge",
    "windlass-git",
    "windlass-host",
    "windlass-import",
    "windlass-jobs",
    "windlass-ui",
    "windlass-nights",
];

#[test]
fn every_command_in_a_message_can_be_typed() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for source in
        PRODUCT.iter().flat_map(|name| files_below(&root().join("crates").join(name).join("src"), "rs"))
    {
        if is_test(&source) {
            continue;
        }
        let code = read(&source);
        let code = code.split("\n#[cfg(test)]\n").next().unwrap_or_default();
        for text in literals(code).iter().map(|text| filled_in(text)) {
            // What is put into a file of the project speaks of verbs as documents do.
            let naming = if text.contains("<!--") { Naming::Allowed } else { Naming::Refused };
            for command in commands(&text) {
                seen += 1;
                wrong.extend(
                    trouble(&command, naming)
                        .map(|why| format!("{}: {}: {why}", source.display(), command.text)),
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 200, "only {seen} commands were found");
}

#[test]
fn every_command_in_the_documents_can_be_typed() {
    let mut pages = files_below(&root().join("docs"), "md");
    pages.extend(["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"].map(|page| root().join(page)));
    let mut wrong = Vec::new();
    let mut seen = 0;
    for page in pages {
        // A line that goes on in the next one is one line.
        for command in commands(&read(&page).replace("\\\n", " ").replace("  --", " --")) {
            seen += 1;
            wrong.extend(
                trouble(&command, Naming::Allowed)
                    .map(|why| format!("{}: {}: {why}", page.display(), command.text)),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 200, "only {seen} commands were found");
}

/// Whether a verb may be named by itself, without what it needs: in a sentence it may, in something to copy it may not.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Naming {
    Allowed,
    Refused,
}

/// What the parser has against a command; nothing, where no verb follows: then it is a sentence about Windlass.
fn trouble(command: &Printed, naming: Naming) -> Option<String> {
    let verb = command.words.iter().find(|word| !word.starts_with('-'))?;
    Cli::command().find_subcommand(verb)?;
    let refused = command.readings().map(|words| {
        let answer = Cli::try_parse_from(["windlass"].into_iter().chain(words));
        answer.err().filter(|error| error.exit_code() != 0)
    });
    let [Some(why), Some(_)] = refused else { return None };
    let lacks = [ErrorKind::MissingRequiredArgument, ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand];
    let is_name = naming == Naming::Allowed && lacks.contains(&why.kind());
    if is_name && command.words.iter().all(|word| word.chars().all(|letter| letter.is_ascii_lowercase())) {
        return None;
    }
    why.to_string().lines().next().map(str::to_owned)
}

/// Holes that flags are put in.
const FLAGS: [&str; 3] = ["flag", "which", "named"];

/// A text with its holes filled: what stands by itself is a value, what hangs on something is nothing (a flag, perhaps).
fn filled_in(text: &str) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let Some((name, after)) = after.split_once('}') else { break };
        let stands = filled.ends_with([' ', '\'', '/', '=', '.']) || filled.ends_with(" 1-");
        if stands && !FLAGS.contains(&name) {
            filled.push('1');
        }
        rest = after;
    }
    filled + rest
}

/// The texts of a Rust file, without its comments.
fn literals(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code: String = lines.flat_map(|line| [line, "\n"]).collect();
    let mut letters = code.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' if letters.peek() == Some(&'"') => drop(letters.next()),
            // Bytes are said to nobody.
            'b' if letters.peek() == Some(&'"') => drop((letters.next(), literal(&mut letters))),
            '"' => found.push(literal(&mut letters)),
            _ => {}
        }
    }
    found
}

/// What stands until the next quotation mark.
fn literal(letters: &mut std::iter::Peekable<std::str::Chars<'_>>) -> String {
    let mut text = String::new();
    while let Some(letter) = letters.next().filter(|letter| *letter != '"') {
        match (letter, letters.peek()) {
            ('\\', Some('\n')) => while letters.next_if(|letter| letter.is_whitespace()).is_some() {},
            ('\\', Some(_)) => {
                text.extend(letters.next().map(|letter| if letter == 'n' { '\n' } else { letter }));
            }
            _ => text.push(letter),
        }
    }
    text
}

fn is_test(file: &Path) -> bool {
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    let names = file.iter().map(|part| part.to_string_lossy());
    name.ends_with("tests") || name.ends_with("testing") || names.into_iter().any(|part| part == "tests")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// All files of a kind below a folder, sorted.
fn files_below(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut found = Vec::new();
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            found.extend(files_below(&path, extension));
        } else if path.extension().is_some_and(|kind| kind == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}
