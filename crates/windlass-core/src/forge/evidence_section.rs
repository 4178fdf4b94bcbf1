//! The part of a pull request's text that is Windlass's: it stands between two marks and is written anew with each push. What
//! people write before and behind it stays theirs, and so does a text whose marks they took out.

/// Begins the section. A comment: nobody sees it who reads the page.
const BEGIN: &str = "<!-- windlass: this section is written anew with each push -->";

/// Ends it.
const END: &str = "<!-- windlass: end of the section -->";

/// The longest evidence, in characters.
const LONGEST_EVIDENCE: usize = 50_000;

/// The longest text, in characters: GitHub takes 65,536.
const LONGEST_TEXT: usize = 60_000;

/// The text of a new pull request with this evidence.
pub fn section(evidence: &str) -> String {
    let evidence: String = evidence.chars().take(LONGEST_EVIDENCE).collect();
    format!("{BEGIN}\n{}\n{END}", evidence.trim_end())
}

/// A text with newer evidence in its section; `None` where nothing is to be written: it has no section, says so already, or
/// would be longer than a forge takes.
pub fn with_evidence(text: &str, evidence: &str) -> Option<String> {
    let begins = text.find(BEGIN)?;
    let ends = text.rfind(END).filter(|ends| *ends > begins)? + END.len();
    let renewed = format!("{}{}{}", text.get(..begins)?, section(evidence), text.get(ends..)?);
    // A forge may have made other line ends of ours.
    let is_new = renewed.lines().ne(text.lines());
    (is_new && renewed.chars().count() <= LONGEST_TEXT).then_some(renewed)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_people_wrote_around_the_section_stays() {
        let text = format!("Closes #7\r\n\r\n{}\r\n\r\nSeen by Kim", section("half\n"));
        let renewed = with_evidence(&text, "whole").unwrap_or_default();
        assert_eq!(renewed, format!("Closes #7\r\n\r\n{}\r\n\r\nSeen by Kim", section("whole")));
    }

    #[test]
    fn a_text_without_its_marks_or_with_the_same_evidence_is_left_alone() {
        let same = section("one\ntwo").replace('\n', "\r\n");
        for text in ["", "A person's", BEGIN, END, &format!("{END}{BEGIN}"), &same] {
            assert_eq!(with_evidence(text, "one\ntwo"), None, "{text}");
        }
    }

    #[test]
    fn a_text_that_no_forge_would_take_is_not_written() {
        let text = format!("{}{}", "ä".repeat(LONGEST_TEXT), section("one"));
        assert_eq!(with_evidence(&text, "two"), None);
        let long = section(&"ä".repeat(LONGEST_TEXT));
        assert!(long.chars().count() < LONGEST_TEXT && long.ends_with(END));
    }

    proptest! {
        #[test]
        fn nothing_outside_the_section_changes(before in "\\PC{0,40}", behind in "\\PC{0,40}", evidence in "\\PC{0,40}") {
            let text = format!("{before}\n{}\n{behind}", section("first"));
            let renewed = with_evidence(&text, &evidence).unwrap_or_else(|| text.clone());
            prop_assert_eq!(renewed, format!("{before}\n{}\n{behind}", section(&evidence)));
        }
    }
}
