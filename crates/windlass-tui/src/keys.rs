//! What a key means.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::state::Tab;

/// What somebody at the keys wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Close what lies over the screen, else leave the view; the run goes on.
    Leave,
    /// Leave the view at once; the run goes on.
    Interrupt,
    /// Stop the view, not the run, until the shell continues it.
    Suspend,
    /// Draw everything anew.
    Redraw,
    /// One row up.
    Up,
    /// One row down.
    Down,
    /// One page up.
    PageUp,
    /// One page down.
    PageDown,
    /// To the first row.
    First,
    /// To the last row.
    Last,
    /// To the other pane.
    OtherPane,
    /// To the list, or out of what is open.
    Left,
    /// To the details, or into what is selected.
    Right,
    /// Open what is selected.
    Open,
    /// Back to where that was opened.
    Back,
    /// This tab of an iteration.
    Show(Tab),
    /// Look for a text.
    Search,
    /// The next hit.
    NextHit,
    /// The hit before.
    PreviousHit,
    /// Follow what comes.
    Follow,
    /// The next iteration that failed or was refused.
    NextFailure,
    /// The one before.
    PreviousFailure,
    /// Show other rows of the list: all, or what went wrong.
    Filter,
    /// Tasks instead of iterations, and back.
    Tasks,
    /// The call before, of the iteration's calls.
    NextCall,
    /// The run's report.
    Report,
    /// Copy what is selected.
    Copy,
    /// Write what is shown to a file.
    Export,
    /// The mouse is the view's, or the terminal's.
    Mouse,
    /// Which keys there are.
    Help,
    /// Ask whether the run is to stop.
    Stop,
    /// A letter is typed.
    Type(char),
    /// The last letter is taken back.
    Erase,
}

/// What keys are for at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyboard {
    /// They act.
    Acting,
    /// They are letters of what is looked for.
    Typing,
}

/// The meaning of a key; `None` where it has none.
pub fn action(key: KeyEvent, keyboard: Keyboard) -> Option<Action> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return match key.code {
            KeyCode::Char('c' | 'C') => Some(Action::Interrupt),
            KeyCode::Char('z' | 'Z') => Some(Action::Suspend),
            KeyCode::Char('l' | 'L') => Some(Action::Redraw),
            KeyCode::Char('u' | 'b') => Some(Action::PageUp),
            KeyCode::Char('d' | 'f') => Some(Action::PageDown),
            KeyCode::Char('h') if keyboard == Keyboard::Typing => Some(Action::Erase),
            _ => None,
        };
    }
    if key.modifiers.contains(KeyModifiers::ALT) {
        return None;
    }
    match (keyboard, key.code) {
        (_, KeyCode::Enter) => Some(Action::Open),
        (_, KeyCode::Esc) => Some(Action::Back),
        (_, KeyCode::Up) => Some(Action::Up),
        (_, KeyCode::Down) => Some(Action::Down),
        (_, KeyCode::PageUp) => Some(Action::PageUp),
        (_, KeyCode::PageDown) => Some(Action::PageDown),
        (Keyboard::Typing, KeyCode::Backspace) => Some(Action::Erase),
        (Keyboard::Typing, KeyCode::Char(letter)) => Some(Action::Type(letter)),
        (Keyboard::Typing, _) => None,
        (Keyboard::Acting, code) => acting(code),
    }
}

fn acting(code: KeyCode) -> Option<Action> {
    let action = match code {
        KeyCode::Char('q') => Action::Leave,
        KeyCode::Char('k') => Action::Up,
        KeyCode::Char('j') => Action::Down,
        KeyCode::Char('h') | KeyCode::Left => Action::Left,
        KeyCode::Char('l') | KeyCode::Right => Action::Right,
        KeyCode::Char(' ') => Action::PageDown,
        KeyCode::Home => Action::First,
        KeyCode::End | KeyCode::Char('G') => Action::Last,
        KeyCode::Tab | KeyCode::BackTab => Action::OtherPane,
        KeyCode::Backspace => Action::Back,
        KeyCode::Char(digit @ '1'..='6') => {
            let place = usize::try_from(digit.to_digit(10)?).ok()?;
            Action::Show(*Tab::ALL.get(place - 1)?)
        }
        KeyCode::Char('d') => Action::Show(Tab::Changes),
        KeyCode::Char('g') => Action::Show(Tab::Gates),
        KeyCode::Char('/') => Action::Search,
        KeyCode::Char('n') => Action::NextHit,
        KeyCode::Char('N') => Action::PreviousHit,
        KeyCode::Char('F') => Action::Follow,
        KeyCode::Char(']') => Action::NextFailure,
        KeyCode::Char('[') => Action::PreviousFailure,
        KeyCode::Char('f') => Action::Filter,
        KeyCode::Char('t') => Action::Tasks,
        KeyCode::Char('c') => Action::NextCall,
        KeyCode::Char('r') => Action::Report,
        KeyCode::Char('y') => Action::Copy,
        KeyCode::Char('e') => Action::Export,
        KeyCode::Char('m') => Action::Mouse,
        KeyCode::Char('?') | KeyCode::F(1) => Action::Help,
        KeyCode::Char('S') => Action::Stop,
        _ => return None,
    };
    Some(action)
}

/// All keys, for the page of help: what they are, what they do.
pub const HELP: &[(&str, &str)] = &[
    ("arrows  h j k l", "move; right opens, left goes back"),
    ("PgUp PgDn Home End", "by pages, to the ends"),
    ("Enter  Esc", "open what is selected, go back"),
    ("Tab", "from the list to the details and back"),
    ("1 2 3 4 5 6", "summary, transcript, changes, gates, denials, prompt"),
    ("d  g", "changes, gates"),
    ("[  ]", "the iteration that went wrong before, after"),
    ("f  t", "only what went wrong; tasks instead of iterations"),
    ("/  n  N", "look for a text; the next hit, the one before"),
    ("F", "follow what comes"),
    ("c  r", "the iteration's other calls; the run's report"),
    ("y  e", "copy the selected line; write all of it to a file"),
    ("m", "the mouse scrolls (then hold Shift to select text)"),
    ("S", "stop the run: asks first"),
    ("q  Ctrl-C", "leave this view; the run goes on"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn pressed(code: KeyCode, modifiers: KeyModifiers, keyboard: Keyboard) -> Option<Action> {
        action(KeyEvent::new(code, modifiers), keyboard)
    }

    #[test]
    fn only_a_capital_letter_leads_to_what_acts() {
        for letter in ('a'..='z').chain('0'..='9') {
            let action = pressed(KeyCode::Char(letter), KeyModifiers::NONE, Keyboard::Acting);
            assert_ne!(action, Some(Action::Stop), "{letter}");
        }
        assert_eq!(pressed(KeyCode::Char('S'), KeyModifiers::SHIFT, Keyboard::Acting), Some(Action::Stop));
    }

    #[test]
    fn what_is_typed_does_nothing_else() {
        for letter in ['q', 'S', '1', '/', ' '] {
            let typed = pressed(KeyCode::Char(letter), KeyModifiers::NONE, Keyboard::Typing);
            assert_eq!(typed, Some(Action::Type(letter)));
        }
        for keyboard in [Keyboard::Acting, Keyboard::Typing] {
            let leave = pressed(KeyCode::Char('c'), KeyModifiers::CONTROL, keyboard);
            assert_eq!(leave, Some(Action::Interrupt));
        }
    }

    #[test]
    fn each_tab_has_its_number() {
        for (digit, tab) in ('1'..='6').zip(Tab::ALL) {
            let shown = pressed(KeyCode::Char(digit), KeyModifiers::NONE, Keyboard::Acting);
            assert_eq!(shown, Some(Action::Show(tab)));
        }
    }
}
