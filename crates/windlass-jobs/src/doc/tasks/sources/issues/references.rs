//! What an issue says has to be done before it: open boxes with an issue, `blocked by #7`, `depends on #7`. Pure.

use windlass_core::forge::RepositoryName;

/// Words after which issues are named that come first.
const WORDS: &[&str] = &["blocked by", "depends on", "depends upon"];

/// So many are read of one issue.
const MOST: usize = 100;

/// An issue that another one names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reference {
    /// Of the same repository.
    Own(u64),
    /// Of another one, as it is written.
    Foreign(String),
}

/// What has to be done before an issue with this text, each once, in the order in which it is named. What stands in code,
/// quotes and comments is not said.
pub fn references(body: &str, repository: &RepositoryName) -> Vec<Reference> {
    let mut found: Vec<Reference> = Vec::new();
    for line in said(body) {
        for reference in of_line(&line, repository) {
            if found.len() < MOST && !found.contains(&reference) {
                found.push(reference);
            }
        }
    }
    found
}

/// The lines outside of fences, quotes and HTML comments, without code.
fn said(body: &str) -> Vec<String> {
    let mut fence: Option<&str> = None;
    let mut lines = Vec::new();
    let text = without_comments(body);
    for line in text.lines() {
        let bare = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| bare.starts_with(mark));
        match (fence, mark) {
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, Some(mark)) => fence = Some(mark),
            (None, None) if !bare.starts_with('>') => lines.push(without_code(line)),
            _ => {}
        }
    }
    lines
}

fn without_comments(body: &str) -> String {
    let mut text = String::new();
    let mut rest = body;
    while let Some((before, after)) = rest.split_once("<!--") {
        text.push_str(before);
        // One that never ends takes everything after it.
        rest = after.split_once("-->").map_or("", |(_, rest)| rest);
    }
    text.push_str(rest);
    text
}

fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join(" ")
}

fn of_line(line: &str, repository: &RepositoryName) -> Vec<Reference> {
    if let Some(task) = open_box(line) {
        // Of `- [ ] #7, see #9` the first is the task.
        return first_reference(task, repository).into_iter().collect();
    }
    let lower = line.to_ascii_lowercase();
    let named = WORDS.iter().filter_map(|word| {
        let at = lower.find(word)?;
        let is_word = !lower.get(..at)?.ends_with(|letter: char| letter.is_alphanumeric());
        line.get(at + word.len()..).filter(|_| is_word)
    });
    named.flat_map(|rest| listed(rest, repository)).collect()
}

/// What follows an open box at the beginning of a line.
fn open_box(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let item = line.strip_prefix(['-', '*', '+']).or_else(|| {
        let rest = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
        (rest.len() < line.len()).then(|| rest.strip_prefix(['.', ')'])).flatten()
    })?;
    item.trim_start().strip_prefix("[ ]")
}

/// The issue that a text begins with.
fn first_reference(text: &str, repository: &RepositoryName) -> Option<Reference> {
    reference(text.split_whitespace().next()?, repository)
}

/// Issues one after another, with commas, `and` and the like between them; a sentence ends them.
fn listed(text: &str, repository: &RepositoryName) -> Vec<Reference> {
    let words =
        text.split_whitespace().map(|word| word.trim_matches([':', ',', ';', '&', '(', ')', '*', '_']));
    let words = words
        .filter(|word| !matches!(word.to_ascii_lowercase().as_str(), "" | "and" | "or" | "issue" | "issues"));
    words.map_while(|word| reference(word, repository)).collect()
}

/// `#7`, `owner/name#7`, or an address.
fn reference(word: &str, repository: &RepositoryName) -> Option<Reference> {
    let word = word.trim_matches(['(', ')', '[', ']', ',', ';', '.', ':', '*', '_']);
    let RepositoryName { host, owner, name } = repository;
    if let Some(path) = word.strip_prefix("https://") {
        let (place, number) = path.rsplit_once("/issues/")?;
        let number = number.split(['#', '?']).next()?.parse().ok()?;
        let is_own = place.eq_ignore_ascii_case(&format!("{host}/{owner}/{name}"));
        return Some(if is_own { Reference::Own(number) } else { foreign(word) });
    }
    let (place, number) = word.split_once('#')?;
    let number: u64 = number.parse().ok()?;
    let is_own = place.is_empty() || place.eq_ignore_ascii_case(&format!("{owner}/{name}"));
    let is_place = place.split('/').filter(|part| !part.is_empty()).count() == 2;
    if is_own { Some(Reference::Own(number)) } else { is_place.then(|| foreign(word)) }
}

/// Without what would be read as something else in a list.
fn foreign(word: &str) -> Reference {
    Reference::Foreign(word.replace(',', ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Vec<String> {
        let name = |name: &str| name.to_owned();
        let repository =
            RepositoryName { host: name("github.com"), owner: name("acme"), name: name("anvil") };
        let shown = |reference| match reference {
            Reference::Own(number) => format!("#{number}"),
            Reference::Foreign(word) => word,
        };
        references(body, &repository).into_iter().map(shown).collect()
    }

    #[test]
    fn boxes_and_words_name_what_comes_first() {
        let cases: &[(&str, &[&str])] = &[
            ("- [ ] #7\n- [x] #8\n* [ ] acme/anvil#9 and so on, see #10\n1. [ ] #11", &["#7", "#9", "#11"]),
            ("- [ ] write tests for #7", &[]),
            ("Blocked by #7.", &["#7"]),
            ("**Depends on:** #7, #8 and #9. See #10.", &["#7", "#8", "#9"]),
            ("blocked by: https://github.com/Acme/anvil/issues/12#issuecomment-1", &["#12"]),
            ("depends on other/thing#3", &["other/thing#3"]),
            ("This is not blocked by anything; #7 is done", &[]),
            ("nothing depends one #7", &[]),
            (
                "> depends on #7\n\n```\ndepends on #8\n```\n~~~\n```\nblocked by #9\n~~~\nblocked by `#10`",
                &[],
            ),
            ("<!-- depends on #7\n blocked by #8 --> depends on #9 <!-- depends on #10", &["#9"]),
            ("blocked by #7\nblocked by #7", &["#7"]),
            ("depends on #x, #-1, #99999999999999999999999", &[]),
        ];
        for (body, expected) in cases {
            assert_eq!(read(body), *expected, "{body}");
        }
    }
}
