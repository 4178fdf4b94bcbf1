//! Who is told what happens.

use crate::dice::Dice;

/// Somebody who is told, and how he answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Receiver {
    pub answers: Answers,
    /// How long each takes, in milliseconds.
    pub takes: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Answers {
    Accepts,
    Refuses,
    /// Accepts so many times out of a hundred; of the others, every other one has arrived and nobody hears of it.
    Sometimes(u32),
    /// Nothing arrives, and nobody answers.
    Never,
}

/// What the dice of receivers start from, with the seed: other nights are what they were.
const RECEIVER: u64 = 0x5eed_0005;

/// Who is told in the night of this seed.
pub(super) fn draw(seed: u64) -> Option<Receiver> {
    let mut dice = Dice::new(seed ^ RECEIVER);
    let answers = dice.pick(&[
        (14, None),
        (3, Some(Answers::Accepts)),
        (1, Some(Answers::Refuses)),
        (2, Some(Answers::Sometimes(60))),
        (1, Some(Answers::Never)),
    ])?;
    Some(Receiver { answers, takes: dice.pick(&[(3, 40), (2, 900), (1, 4_000)]) })
}
