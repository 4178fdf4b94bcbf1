//! Notes relayed between iterations (seed 004): read every time, kept short in the prompt, never changed by us.

use windlass_core::run::NotesShare;

/// How much of the notes usually goes into a prompt, in bytes.
pub const NOTES_USUAL: usize = 16 * 1024;
/// How much goes in after a prompt was too long, in bytes.
pub const NOTES_LITTLE: usize = 1024;

/// The part of a notes file that goes into a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notes {
    /// The text.
    pub text: String,
    /// The file is longer: the middle was left out.
    pub cut: bool,
    /// The file is not UTF-8: what could not be read is shown as U+FFFD.
    pub damaged: bool,
}

impl Notes {
    /// Takes as much of a notes file as `share` allows: a quarter from its beginning and the rest from its end, since
    /// what was written last matters most. `bytes` is the file, or (for very long files) its two ends joined.
    pub fn take(bytes: &[u8], share: NotesShare) -> Notes {
        let most = match share {
            NotesShare::Usual => NOTES_USUAL,
            NotesShare::Little => NOTES_LITTLE,
        };
        let whole = String::from_utf8_lossy(bytes);
        let damaged = matches!(whole, std::borrow::Cow::Owned(_));
        let whole = whole.trim_start_matches('\u{feff}').trim_end();
        if whole.len() <= most {
            return Notes { text: whole.to_owned(), cut: false, damaged };
        }
        let head = whole.floor_char_boundary(most / 4);
        let tail = whole.ceil_char_boundary(whole.len() - (most - most / 4));
        let text = format!("{}\n\n[… left out …]\n\n{}", &whole[..head], &whole[tail..]);
        Notes { text, cut: true, damaged }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    // rows: 15
    #[test]
    fn short_notes_go_in_whole_and_long_ones_keep_both_ends() {
        let short = Notes::take(b"\xef\xbb\xbfnext: parser\r\n", NotesShare::Usual);
        assert_eq!(short, Notes { text: "next: parser".to_owned(), cut: false, damaged: false });

        let long = format!("first{}last", "é".repeat(NOTES_USUAL));
        let taken = Notes::take(long.as_bytes(), NotesShare::Usual);
        assert!(taken.cut && taken.text.starts_with("first") && taken.text.ends_with("last"));
        assert!(taken.text.len() < NOTES_USUAL + 64);
        assert!(Notes::take(long.as_bytes(), NotesShare::Little).text.len() < NOTES_LITTLE + 64);
    }

    #[test]
    fn notes_that_are_not_utf8_are_read_and_said_to_be_damaged() {
        let notes = Notes::take(b"a\xff\xfeb", NotesShare::Usual);
        assert_eq!(notes.text, "a\u{fffd}\u{fffd}b");
        assert!(notes.damaged);
    }

    proptest! {
        #[test]
        fn any_bytes_are_taken(bytes in prop::collection::vec(any::<u8>(), 0..40_000)) {
            let notes = Notes::take(&bytes, NotesShare::Usual);
            prop_assert!(notes.text.len() <= NOTES_USUAL + 64);
        }
    }
}
