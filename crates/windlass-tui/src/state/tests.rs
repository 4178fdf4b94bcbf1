use proptest::prelude::*;

use super::*;
use crate::keys::Action;
use crate::made_up::{lanes, listed, live, long, past, place, view};

fn iteration(state: &State) -> Option<u32> {
    state.run.as_ref().and_then(RunView::selected)
}

fn topic(state: &State) -> Option<(u32, Tab)> {
    match state.run.as_ref()?.topic {
        Some(Topic::Iteration { iteration, tab, .. }) => Some((iteration, tab)),
        _ => None,
    }
}

fn acted(state: &mut State, actions: &[Action]) -> Vec<Effect> {
    actions.iter().flat_map(|action| state.act(*action)).collect()
}

#[test]
fn the_newest_iteration_is_shown_until_somebody_goes_elsewhere() {
    let mut state = view(live());
    assert_eq!(topic(&state), Some((3, Tab::Transcript)), "an agent is at work: what it says");
    acted(&mut state, &[Action::Up]);
    assert_eq!(topic(&state), Some((2, Tab::Summary)), "it is over: why");
    let mut more = live();
    more.seen.rounds.push(IterationSeenNext::of(&more));
    state.take(News::Run(Box::new(more.clone())));
    assert_eq!(iteration(&state), Some(2), "whoever looks at one stays there");
    acted(&mut state, &[Action::Last]);
    assert_eq!(iteration(&state), Some(4));
    assert!(state.run.as_ref().unwrap().newest);
}

/// One more iteration, just begun.
struct IterationSeenNext;

impl IterationSeenNext {
    fn of(run: &RunNow) -> windlass_ui::model::IterationSeen {
        let mut next = run.seen.rounds.last().unwrap().clone();
        next.iteration += 1;
        next
    }
}

#[test]
fn a_word_is_looked_for_in_the_list_and_no_letter_of_it_acts() {
    let mut state = view(live());
    state.screen = Screen::Night;
    state.night.take(listed());
    state.night.picker.select(0);
    let typed = |state: &mut State, text: &str| {
        for letter in text.chars() {
            let key = crossterm::event::KeyEvent::new(
                crossterm::event::KeyCode::Char(letter),
                crossterm::event::KeyModifiers::NONE,
            );
            let action = crate::keys::action(key, state.keyboard()).unwrap();
            assert_eq!(state.act(action), [], "{letter}");
        }
        assert_eq!(state.act(Action::Open), [], "{text}");
        state.night.picker.selected()
    };
    assert_eq!(typed(&mut state, "/was"), 3);
    assert_eq!(typed(&mut state, "/THE"), 0, "around the end, whatever the case");
    assert_eq!(acted(&mut state, &[Action::NextHit]), []);
    assert_eq!(state.night.picker.selected(), 1);
    assert_eq!(acted(&mut state, &[Action::PreviousHit]), []);
    assert_eq!(state.night.picker.selected(), 0);
    assert_eq!(typed(&mut state, "/quiet nowhere"), 0);
    assert!(state.note.unwrap().contains("nowhere"));
}

#[test]
fn a_run_without_tasks_says_so() {
    let mut run = live();
    run.seen.begun.clear();
    let mut state = view(run);
    acted(&mut state, &[Action::Tasks]);
    assert!(state.note.as_ref().is_some_and(|note| note.contains("no task")), "{:?}", state.note);
    assert!(!state.run.unwrap().tasks);
}

#[test]
fn only_the_dialog_acts_and_only_after_something_was_chosen() {
    let mut state = view(live());
    for letter in ('a'..='z').chain('0'..='9') {
        let key = crossterm::event::KeyEvent::new(
            crossterm::event::KeyCode::Char(letter),
            crossterm::event::KeyModifiers::NONE,
        );
        let mut state = state.clone();
        let action = crate::keys::action(key, state.keyboard());
        let effects = action.map(|action| state.act(action)).unwrap_or_default();
        let acts = effects.iter().any(|effect| matches!(effect, Effect::Stop(..)));
        assert!(!acts, "{letter}");
    }
    assert_eq!(acted(&mut state, &[Action::Stop, Action::Open]), [], "to go on is chosen at first");
    assert_eq!(acted(&mut state, &[Action::Stop, Action::Down, Action::Back]), []);
    assert_eq!(
        acted(&mut state, &[Action::Stop, Action::Down, Action::Open]),
        [Effect::Stop(place(), Ending::AfterIteration)]
    );
    assert_eq!(
        acted(&mut state, &[Action::Stop, Action::Down, Action::Down, Action::Down, Action::Open]),
        [Effect::Stop(place(), Ending::Now)]
    );
    let mut ended = view(past());
    assert_eq!(acted(&mut ended, &[Action::Stop, Action::Down, Action::Open]), []);
    assert!(ended.overlay.is_none());
}

#[test]
fn leaving_is_one_key_and_ctrl_c_leaves_from_everywhere() {
    let mut state = view(live());
    assert_eq!(acted(&mut state, &[Action::Leave]), [Effect::Leave]);
    for opens in [Action::Help, Action::Stop, Action::Search] {
        let mut state = view(live());
        acted(&mut state, &[opens]);
        assert_eq!(acted(&mut state, &[Action::Interrupt]), [Effect::Leave], "{opens:?}");
    }
    acted(&mut state, &[Action::Help]);
    assert_eq!(acted(&mut state, &[Action::Leave]), [], "help is closed first");
}

#[test]
fn what_went_wrong_is_a_key_away() {
    let mut state = view(past());
    assert_eq!(iteration(&state), Some(5));
    acted(&mut state, &[Action::PreviousFailure]);
    assert_eq!(iteration(&state), Some(4));
    acted(&mut state, &[Action::PreviousFailure]);
    assert_eq!(iteration(&state), Some(3), "a refused claim");
    acted(&mut state, &[Action::PreviousFailure]);
    assert_eq!(iteration(&state), Some(3));
    assert!(state.note.is_some());
    acted(&mut state, &[Action::Filter]);
    assert_eq!(state.run.as_ref().unwrap().rows().len(), 2);
}

#[test]
fn from_the_list_to_a_run_to_an_iteration_and_back() {
    let mut state = State::night();
    state.take(News::Night(listed()));
    acted(&mut state, &[Action::Down, Action::Open]);
    assert_eq!(state.wanted().run.map(|run| run.run.0), Some("r-docs7".to_owned()));
    state = view(past());
    acted(&mut state, &[Action::Open, Action::Show(Tab::Gates)]);
    assert_eq!((state.screen, topic(&state)), (Screen::Iteration, Some((5, Tab::Gates))));
    acted(&mut state, &[Action::Report]);
    assert_eq!(state.run.as_ref().unwrap().topic, Some(Topic::Report));
    acted(&mut state, &[Action::Back, Action::Back]);
    assert_eq!(state.screen, Screen::Night);
    assert!(state.wanted().night);
}

#[test]
fn news_of_something_else_change_nothing() {
    let mut state = view(past());
    let before = format!("{state:?}");
    let other = RunPlace { project: "other".to_owned(), ..place() };
    state.take(News::Unreadable(other.clone(), "gone".to_owned()));
    state.take(News::Rows(other, Topic::Report, vec![Row::of(windlass_ui::Tone::Plain, "x")]));
    state.take(News::Rows(place(), Topic::Report, vec![Row::of(windlass_ui::Tone::Plain, "x")]));
    assert_eq!(format!("{state:?}"), before);
}

#[test]
fn what_is_not_here_is_looked_for_by_the_reader() {
    let mut state = view(live());
    let rows = vec![Row { offset: 100, ..Row::of(windlass_ui::Tone::Plain, "here") }];
    let topic = state.run.as_ref().unwrap().topic.clone().unwrap();
    state.take(News::Part(place(), topic, Part { rows, from: 100, to: 200, total: 200 }, Placing::End));
    let effects = acted(
        &mut state,
        &[Action::Search, Action::Type('x'), Action::Erase, Action::Type('z'), Action::Open],
    );
    assert_eq!(effects, [Effect::Find { needle: "z".to_owned(), byte: 199, direction: Direction::Forward }]);
    let effects = acted(&mut state, &[Action::PreviousHit]);
    assert_eq!(effects, [Effect::Find { needle: "z".to_owned(), byte: 100, direction: Direction::Backward }]);
}

fn any_action() -> impl Strategy<Value = Action> {
    prop::sample::select(vec![
        Action::Leave,
        Action::Up,
        Action::Down,
        Action::PageUp,
        Action::PageDown,
        Action::First,
        Action::Last,
        Action::OtherPane,
        Action::Left,
        Action::Right,
        Action::Open,
        Action::Back,
        Action::Show(Tab::Transcript),
        Action::Show(Tab::Denials),
        Action::Search,
        Action::Type('a'),
        Action::Erase,
        Action::NextHit,
        Action::PreviousHit,
        Action::Follow,
        Action::NextFailure,
        Action::PreviousFailure,
        Action::Filter,
        Action::Tasks,
        Action::NextCall,
        Action::Report,
        Action::Copy,
        Action::Export,
        Action::Mouse,
        Action::Help,
        Action::Stop,
    ])
}

proptest! {
    #[test]
    fn whatever_is_pressed_in_whatever_window_it_is_drawn(
        actions in prop::collection::vec((any_action(), 0_u16..130, 0_u16..45), 1..60),
        which in 0_usize..4,
    ) {
        let mut state = match which {
            0 => view(past()),
            1 => view(live()),
            2 => view(lanes()),
            _ => State::night(),
        };
        state.take(News::Night(listed()));
        for (action, columns, rows) in actions {
            state.act(action);
            crate::draw::tests::text(&mut state, columns, rows);
            let run = state.run.as_ref();
            let selected = run.is_none_or(|run| run.picker.selected() <= run.rows().len());
            prop_assert!(selected);
        }
    }
}

#[test]
fn a_thousand_iterations_are_a_list_like_any_other() {
    let mut state = view(long());
    assert_eq!(iteration(&state), Some(1_000));
    acted(&mut state, &[Action::PreviousFailure, Action::First]);
    assert_eq!(iteration(&state), Some(1));
}
