//! A state's word in place of a former one. What is done and open again is called as it was: the word for what is done says
//! which one for what is open stood there, wherever the file's other words do not.

use windlass_core::values::TaskState;

use super::source::StateWords;
use super::status::{DRAWN, SIGNS, WORDS, is_sign_alone, is_word};

/// How words of a file are put together where none shows it: `-`, or a blank where words begin with capital letters.
pub(super) type Joint = Option<char>;

/// The word for a state in place of a former one, among the words that its file has; `None` where what was open could never be
/// called so again.
pub(super) fn word(words: &StateWords, state: TaskState, former: &str, joint: Joint) -> Option<String> {
    if let Some((_, after)) = former.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        let sign = if state == TaskState::Done { "x" } else { " " };
        let gap = after.len() - after.trim_start().len();
        let (gap, former) = after.split_at_checked(gap).unwrap_or_default();
        let word = match former {
            "" => String::new(),
            former => word(&StateWords::default(), state, former, joint)?,
        };
        return Some(format!("[{sign}]{gap}{word}"));
    }
    if is_sign_alone(former) {
        return sign(words, state, former);
    }
    match state {
        TaskState::Open => Some(open_word(words, former, joint)),
        TaskState::Done => done_word(words, former, joint),
        TaskState::InProgress => Some(spelled_like("in-progress", former, joint)),
    }
}

/// The word of what is open again: what its file calls open, or what goes with how it was called done.
fn open_word(words: &StateWords, former: &str, joint: Joint) -> String {
    let own = WORDS.iter().find(|(word, ..)| is_word(former, word)).map_or("pending", |(_, _, open)| open);
    let is_own = |word: &str| is_word(word, own) || own.is_empty();
    match words.of(TaskState::Open) {
        // What has two parts says how both are spelled.
        _ if parts(former).is_some() && !own.is_empty() => spelled_like(own, former, joint),
        // Among words that are all the same it is that one, however it is spelled.
        Some(word) if is_own(word) && starts_alike(word, former) && !is_joined(word) => word.to_owned(),
        _ if !is_word(former, "done") && !own.is_empty() => spelled_like(own, former, joint),
        Some(word) if former.starts_with(char::is_lowercase) => word.to_lowercase(),
        Some(word) if former.is_empty() || starts_alike(word, former) => word.to_owned(),
        Some(word) => {
            let known = WORDS.iter().find(|(known, ..)| is_word(word, known));
            known.map_or_else(|| word.to_owned(), |(known, ..)| spelled_like(known, former, joint))
        }
        None => spelled_like("pending", former, joint),
    }
}

/// The word of what is done: one that the file itself has for it, else `done`, unless what was open could not be called so again
/// then.
fn done_word(words: &StateWords, former: &str, joint: Joint) -> Option<String> {
    let usual = spelled_like("done", former, joint);
    let words = &words.without(former);
    let mut own = words.all(TaskState::Done).into_iter().filter_map(|word| {
        let is_known =
            |(known, state, _): &&(&str, TaskState, &str)| *state == TaskState::Done && is_word(word, known);
        let (known, ..) = WORDS.iter().find(is_known)?;
        Some(if starts_alike(word, former) { word.to_owned() } else { spelled_like(known, former, joint) })
    });
    let is_open = WORDS.iter().any(|(word, state, _)| *state == TaskState::Open && is_word(former, word));
    if !is_open {
        return own.next().or(Some(usual));
    }
    let others = WORDS.iter().filter(|(_, state, _)| *state == TaskState::Done);
    let others = others.map(|(word, ..)| spelled_like(word, former, joint));
    own.chain([usual]).chain(others).find(|word| open_word(words, word, joint) == former)
}

/// A word for what is done other than `done`, of which the same word for what is open comes again.
pub(super) fn other_done(words: &StateWords, former: &str) -> Option<String> {
    let others = WORDS.iter().filter(|(word, state, _)| *state == TaskState::Done && *word != "done");
    let mut others = others.map(|(word, ..)| spelled_like(word, former, None));
    others.find(|word| open_word(words, word, None) == former)
}

/// The sign of a state in place of a former one.
fn sign(words: &StateWords, state: TaskState, former: &str) -> Option<String> {
    let usual = |state| SIGNS.iter().find(|(_, of, _)| *of == state).map(|(sign, ..)| *sign);
    let drawn = if former.ends_with(DRAWN) { DRAWN.to_string() } else { String::new() };
    let written = |sign: char| format!("{sign}{drawn}");
    match state {
        TaskState::Open => Some(open_sign(words, former, &drawn)),
        TaskState::InProgress => usual(state).map(written),
        TaskState::Done
            if !SIGNS.iter().any(|(sign, of, _)| *of == TaskState::Open && former.starts_with(*sign)) =>
        {
            usual(state).map(written)
        }
        TaskState::Done => {
            let words = words.without(former);
            let mut done = SIGNS.iter().filter(|(_, of, _)| *of == state).map(|(sign, ..)| written(*sign));
            done.find(|sign| open_sign(&words, sign, &drawn) == former)
        }
    }
}

/// The sign of what is open again: of what has the usual sign, the one that the file's others have.
fn open_sign(words: &StateWords, former: &str, drawn: &str) -> String {
    let own = SIGNS.iter().find(|(sign, state, _)| *state == TaskState::Done && former.starts_with(*sign));
    let is_usual = own.is_none_or(|(sign, ..)| *sign == '✅');
    let of_file = words
        .of(TaskState::Open)
        .filter(|word| is_usual && is_sign_alone(word) && word.ends_with(DRAWN) != drawn.is_empty());
    of_file.map_or_else(|| format!("{}{drawn}", own.map_or('⬜', |(_, _, open)| *open)), str::to_owned)
}

/// Have both capital letters at the same places: none, the first, all?
fn starts_alike(one: &str, other: &str) -> bool {
    let letters = |word: &str| (word.starts_with(char::is_uppercase), is_loud(word));
    letters(one) == letters(other)
}

/// The two parts of a word with what stands between them: `Not started`, `not_started`, `ToDo`.
fn parts(word: &str) -> Option<(&str, &str, &str)> {
    if let Some((first, second)) = word.split_once(['-', '_', ' ']) {
        let between = word.get(first.len()..word.len() - second.len())?;
        return (!first.is_empty() && !second.is_empty()).then_some((first, between, second));
    }
    let mut letters = word.char_indices().skip(1);
    let (at, _) = letters.find(|(_, letter)| letter.is_uppercase())?;
    let (first, second) = word.split_at_checked(at)?;
    first.ends_with(char::is_lowercase).then_some((first, "", second))
}

/// A word with capital letters and blanks where a former one had them.
fn spelled_like(word: &str, former: &str, joint: Joint) -> String {
    let of_word = word.split_once('-');
    match (of_word, parts(former)) {
        (Some((one, other)), Some((first, between, second))) => {
            return format!("{}{between}{}", cased(one, first), cased(other, second));
        }
        // One word in place of `ToDo`, or of the word that stands for it.
        (None, Some((first, "", second))) if word == "alldone" => {
            return format!("{}{}", cased("all", first), cased("done", second));
        }
        _ => {}
    }
    let Some((one, other)) = of_word else { return cased(word, former) };
    let (one, other) = match word {
        // What is in progress was always written with a small second word and a sign.
        "in-progress" => {
            (cased(one, former), if is_loud(former) { cased(other, former) } else { other.to_owned() })
        }
        _ => (cased(one, former), cased(other, former)),
    };
    let is_title = former.starts_with(char::is_uppercase) && !is_loud(former) && word != "in-progress";
    let joint = joint.unwrap_or(if is_title { ' ' } else { '-' });
    format!("{one}{joint}{other}")
}

/// Is it two words in one: `ToDo`?
fn is_joined(word: &str) -> bool {
    parts(word).is_some_and(|(_, between, _)| between.is_empty())
}

/// Is it all capital letters?
fn is_loud(word: &str) -> bool {
    let letters = || word.chars().filter(|letter| letter.is_alphabetic());
    letters().count() > 1 && letters().all(char::is_uppercase)
}

fn cased(word: &str, like: &str) -> String {
    let (first, rest) = word.split_at_checked(1).unwrap_or((word, ""));
    if is_loud(like) {
        word.to_uppercase()
    } else if like.starts_with(char::is_uppercase) {
        format!("{}{rest}", first.to_uppercase())
    } else {
        word.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc::tasks::status::state_of;

    /// Every word and sign of what is open, however people spell it.
    fn spelled() -> Vec<String> {
        let open = WORDS.iter().filter(|(_, state, _)| *state == TaskState::Open).map(|(word, ..)| *word);
        let capital = |part: &str| cased(part, "Title");
        let mut all = vec!["ToDo".to_owned()];
        for word in open {
            let (first, second) = word.split_once('-').unwrap_or((word, ""));
            for between in ["-", "_", " "].into_iter().take(if second.is_empty() { 1 } else { 3 }) {
                let between = if second.is_empty() { "" } else { between };
                all.push(format!("{first}{between}{second}"));
                all.push(format!("{}{between}{}", capital(first), capital(second)));
                all.push(format!("{}{between}{second}", capital(first)));
                all.push(format!("{first}{between}{second}").to_uppercase());
            }
        }
        for (sign, state, _) in SIGNS {
            all.extend(
                (*state == TaskState::Open)
                    .then(|| [sign.to_string(), format!("{sign}{DRAWN}")])
                    .into_iter()
                    .flatten(),
            );
        }
        all
    }

    #[test]
    fn what_is_done_and_open_again_is_called_as_it_was_whatever_the_others_are_called() {
        let joints = [None, Some('-'), Some('_'), Some(' ')];
        let others: Vec<String> =
            [String::new(), "Done".to_owned(), "✅".to_owned()].into_iter().chain(spelled()).collect();
        for former in spelled() {
            for other in &others {
                for joint in joints {
                    let mut words = StateWords::default();
                    if let Some(state) = state_of(other) {
                        words.see(state, other);
                    }
                    words.see(TaskState::Open, &former);
                    let done = word(&words, TaskState::Done, &former, joint);
                    let done = done.unwrap_or_else(|| panic!("{former} cannot be done beside {other}"));
                    assert_eq!(state_of(&done), Some(TaskState::Done), "{former} is {done}");
                    let mut words = words.without(&former);
                    words.see(TaskState::Done, &done);
                    let again = word(&words, TaskState::Open, &done, joint);
                    assert_eq!(again.as_ref(), Some(&former), "{former} was {done} beside {other}");
                }
            }
        }
    }

    #[test]
    fn what_was_begun_and_is_open_again_keeps_its_capital_letter() {
        let mut words = StateWords::default();
        words.see(TaskState::Open, "pending");
        words.see(TaskState::Open, "Pending");
        let begun = word(&words, TaskState::InProgress, "Pending", None).unwrap();
        assert_eq!(word(&words, TaskState::Open, &begun, None).as_deref(), Some("Pending"));
    }

    #[test]
    fn the_usual_word_is_written_where_it_can_be() {
        for (former, done) in
            [("pending", "done"), ("Not Started", "Complete"), ("⬜", "✅"), ("todo", "completed")]
        {
            let mut words = StateWords::default();
            words.see(TaskState::Open, former);
            assert_eq!(word(&words, TaskState::Done, former, None).as_deref(), Some(done));
        }
        assert_eq!(
            word(&StateWords::default(), TaskState::Done, "pEnding", None),
            None,
            "it could not be called so again"
        );
    }
}
