//! A scale of time on which waits are narrow: what happens between them is what somebody wants to see.

use jiff::Timestamp;
use windlass_core::values::between;

/// A wait takes this part of the width …
const WAIT: f64 = 0.02;

/// … and all of them together no more than this.
const WAITS: f64 = 0.3;

/// Shorter idle times are not squeezed: they are as wide as they are.
const SHORT: f64 = 60.0;

/// From moments to places.
#[derive(Debug)]
pub(super) struct Squeezed {
    pieces: Vec<Piece>,
}

/// A time in which either somebody worked or nobody did.
#[derive(Debug, PartialEq)]
struct Piece {
    from: Timestamp,
    to: Timestamp,
    is_wait: bool,
    /// Where it begins and ends, from 0 to 1.
    place: (f64, f64),
}

type Span = (Timestamp, Timestamp);

impl Squeezed {
    /// Of times of work and waits, each with its end after its beginning; `None` where nothing took any time.
    pub fn of(work: &[Span], waits: &[Span]) -> Option<Squeezed> {
        let mut bounds: Vec<Timestamp> =
            work.iter().chain(waits).flat_map(|(from, to)| [*from, *to]).collect();
        bounds.sort_unstable();
        bounds.dedup();
        let covers = |spans: &[Span], from: Timestamp, to: Timestamp| {
            spans.iter().any(|span| span.0 <= from && to <= span.1)
        };
        let mut pieces: Vec<Piece> = Vec::new();
        for (from, to) in bounds.iter().copied().zip(bounds.iter().copied().skip(1)) {
            let is_idle = !covers(work, from, to) && seconds(from, to) > SHORT;
            let is_wait = covers(waits, from, to) || is_idle;
            match pieces.last_mut() {
                Some(last) if last.is_wait == is_wait => last.to = to,
                _ => pieces.push(Piece { from, to, is_wait, place: (0.0, 0.0) }),
            }
        }
        let waits = pieces.iter().filter(|piece| piece.is_wait).count();
        let worked: f64 = pieces.iter().filter(|piece| !piece.is_wait).map(Piece::seconds).sum();
        if pieces.is_empty() {
            return None;
        }
        let wait =
            if worked > 0.0 { WAIT.min(WAITS / waits.max(1) as f64) } else { 1.0 / waits.max(1) as f64 };
        let room = 1.0 - wait * waits as f64;
        let mut at = 0.0;
        for piece in &mut pieces {
            let width = if piece.is_wait { wait } else { piece.seconds() / worked * room };
            piece.place = (at, at + width);
            at += width;
        }
        Some(Squeezed { pieces })
    }

    /// Where a moment is, from 0 to 1.
    pub fn place(&self, moment: Timestamp) -> f64 {
        let later = self.pieces.iter().find(|piece| moment <= piece.to).or(self.pieces.last());
        let Some(piece) = later else { return 0.0 };
        let share = if piece.seconds() > 0.0 { seconds(piece.from, moment) / piece.seconds() } else { 0.0 };
        piece.place.0 + share.clamp(0.0, 1.0) * (piece.place.1 - piece.place.0)
    }

    /// Where the waits are.
    pub fn waits(&self) -> impl Iterator<Item = (f64, f64)> {
        self.pieces.iter().filter(|piece| piece.is_wait).map(|piece| piece.place)
    }
}

impl Piece {
    fn seconds(&self) -> f64 {
        seconds(self.from, self.to)
    }
}

fn seconds(from: Timestamp, to: Timestamp) -> f64 {
    between(from, to).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + second).unwrap()
    }

    #[test]
    fn a_wait_of_hours_is_narrow() {
        let squeezed =
            Squeezed::of(&[(at(0), at(100)), (at(20_000), at(20_100))], &[(at(100), at(20_000))]).unwrap();
        let places: Vec<f64> = [0, 100, 20_000, 20_100].map(|second| squeezed.place(at(second))).into();
        assert_eq!(
            places.iter().map(|place| format!("{place:.2}")).collect::<Vec<_>>(),
            ["0.00", "0.49", "0.51", "1.00"]
        );
        assert_eq!(squeezed.waits().count(), 1);
        // Within an iteration, too; and where nobody said that it was waited.
        assert_eq!(
            Squeezed::of(&[(at(0), at(20_100))], &[(at(100), at(20_000))]).unwrap().waits().count(),
            1
        );
        assert_eq!(Squeezed::of(&[(at(0), at(9)), (at(9000), at(9009))], &[]).unwrap().waits().count(), 1);
        assert_eq!(Squeezed::of(&[(at(0), at(9)), (at(20), at(29))], &[]).unwrap().waits().count(), 0);
        assert!(Squeezed::of(&[], &[]).is_none());
    }

    proptest! {
        #[test]
        fn later_is_never_further_left(
            work in prop::collection::vec((0_i64..1000, 0_i64..1000), 1..8),
            waits in prop::collection::vec((0_i64..1000, 0_i64..1000), 0..4),
        ) {
            let spans = |raw: Vec<(i64, i64)>| raw.into_iter().map(|(from, long)| (at(from), at(from + long + 1))).collect::<Vec<_>>();
            let squeezed = Squeezed::of(&spans(work), &spans(waits)).unwrap();
            let places: Vec<f64> = (0..2000).map(|second| squeezed.place(at(second))).collect();
            prop_assert!(places.is_sorted());
            prop_assert!(places.iter().all(|place| (-1e-9..=1.0 + 1e-9).contains(place)));
        }
    }
}
