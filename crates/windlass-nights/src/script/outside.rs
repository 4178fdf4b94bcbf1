//! Drawing what happens to a night from outside.

use super::natures::file;
use super::{Edit, Event, Happening, Pause};
use crate::dice::Dice;

/// Most nights are disturbed a few times, some not at all, some all the time.
pub(super) fn events(dice: &mut Dice) -> Vec<Event> {
    let how_many = dice.pick(&[(3, 0), (4, 1), (3, 3), (1, 8)]);
    let reach = dice.pick(&[(2, 40), (3, 150), (2, 600)]);
    let mut events: Vec<Event> = (0..how_many)
        .map(|_| Event {
            step: dice.number(1, reach),
            part: u8::try_from(dice.below(256)).unwrap_or(0),
            what: happening(dice),
        })
        .collect();
    // Impatience: what is pressed once is pressed again.
    if let Some(first) = events.iter().find(|event| event.what == Happening::CtrlC).cloned()
        && dice.chance(50)
    {
        for _ in 0..dice.between(1, 2) {
            events.push(Event { step: first.step + dice.number(0, 12), ..first.clone() });
        }
    }
    events.sort_by_key(|event| event.step);
    events
}

fn happening(dice: &mut Dice) -> Happening {
    let byte = u8::try_from(dice.below(256)).unwrap_or(0);
    let jump = i32::try_from(dice.between(0, 14_400)).unwrap_or(0) - 7_200;
    dice.pick(&[
        (3, Happening::CtrlC),
        (2, Happening::Terminate),
        (1, Happening::HangUp),
        (2, Happening::StopFile),
        (7, Happening::Kill { torn: byte, agent_lives_ms: 1_000 }),
        (6, Happening::PowerCut { survives: byte, zeros: byte % 4 == 0 }),
        (1, Happening::KeeperDies),
        (2, Happening::DiskFills),
        (1, Happening::DiskFrees),
        (2, Happening::Jump(jump)),
        (2, Happening::Sleep(u32::from(byte) * 60)),
    ])
}

pub(super) fn pauses(dice: &mut Dice) -> Vec<Pause> {
    let one = |dice: &mut Dice| {
        let at = file(dice);
        let edit = dice.pick(&[
            (2, Edit::Writes(at)),
            (1, Edit::Deletes(at)),
            (1, Edit::Commits(at)),
            (1, Edit::Unclaims),
        ]);
        Pause {
            length: dice.pick(&[(2, 5), (2, 600), (1, 30_000)]),
            edit: dice.chance(35).then_some(edit),
            resumes_ended: dice.chance(50),
        }
    };
    (0..dice.pick(&[(3, 0), (3, 2), (1, 5)])).map(|_| one(dice)).collect()
}
