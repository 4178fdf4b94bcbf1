//! Inputs that are almost like others: a short way off what is known, without any guidance.

use crate::dice::Dice;

/// No input grows beyond this, in bytes.
const LONGEST: usize = 64 * 1024;

/// Bytes on which parsers turn.
const TURNING: &[u8] = b"\0\n\r\t \"'\\/{}[]()<>=:,;.-+#|$0199aZ\x7f\x80\xc3\xff";

/// Numbers at the edge of what types hold.
const EDGES: &[&str] = &[
    "0",
    "-1",
    "127",
    "256",
    "65536",
    "2147483648",
    "4294967295",
    "9223372036854775807",
    "18446744073709551615",
    "1e308",
    "-0.0",
    "0.0000001",
    "null",
    "true",
];

/// A reproducible row of mutants.
#[derive(Clone, Debug)]
pub struct Mutations<'a> {
    corpus: &'a [Vec<u8>],
    dice: Dice,
}

impl<'a> Mutations<'a> {
    /// Mutants of these inputs; the same seed gives the same ones.
    pub const fn new(corpus: &'a [Vec<u8>], seed: u64) -> Mutations<'a> {
        Mutations { corpus, dice: Dice::new(seed) }
    }

    fn change(&mut self, data: &mut Vec<u8>) {
        let at = self.dice.below(data.len() + 1);
        let end = at + self.dice.below((data.len() - at).min(64) + 1);
        match self.dice.below(9) {
            0 => data.truncate(at),
            1 => drop(data.drain(at..end)),
            2 => data.insert(at, self.turning()),
            3 => {
                let byte = self.turning();
                if let Some(place) = data.get_mut(at) {
                    *place = byte;
                }
            }
            4 => {
                let bit = 1 << self.dice.below(8);
                if let Some(place) = data.get_mut(at) {
                    *place ^= bit;
                }
            }
            5 => {
                let repeated = data.get(at..end).unwrap_or_default().repeat(1 + self.dice.below(8));
                data.splice(at..at, repeated);
            }
            6 => self.put_number(data, at),
            7 => {
                let line = self.other_line();
                let start = line_start(data, at);
                data.splice(start..start, line);
            }
            _ => {
                let other = self.other_line();
                let length = other.len();
                let from = self.dice.below(length + 1);
                data.splice(at..end, other.get(from..).unwrap_or_default().iter().copied().take(64));
            }
        }
        data.truncate(LONGEST);
    }

    fn turning(&mut self) -> u8 {
        self.dice.pick(TURNING).copied().unwrap_or(0)
    }

    /// Another number in the place of the next one.
    fn put_number(&mut self, data: &mut Vec<u8>, at: usize) {
        let digits = |from: usize, are: bool| {
            let rest = data.get(from..).unwrap_or_default();
            rest.iter().position(|byte| byte.is_ascii_digit() == are).map(|length| from + length)
        };
        if let Some(start) = digits(at, true) {
            let end = digits(start, false).unwrap_or(data.len());
            let edge = self.dice.pick(EDGES).copied().unwrap_or("0");
            data.splice(start..end, edge.bytes());
        }
    }

    /// A line of some input of the corpus.
    fn other_line(&mut self) -> Vec<u8> {
        let Some(other) = self.dice.pick(self.corpus) else {
            return Vec::new();
        };
        let start = line_start(other, self.dice.below(other.len()));
        let rest = other.get(start..).unwrap_or_default();
        let end = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |end| end + 1);
        rest.get(..end).unwrap_or_default().to_vec()
    }
}

/// Where the line begins that has this place in it.
fn line_start(data: &[u8], at: usize) -> usize {
    let before = data.get(..at).unwrap_or_default();
    before.iter().rposition(|byte| *byte == b'\n').map_or(0, |feed| feed + 1)
}

/// Without end.
impl Iterator for Mutations<'_> {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        let mut data = self.dice.pick(self.corpus).cloned().unwrap_or_default();
        for _ in 0..=self.dice.below(5) {
            self.change(&mut data);
        }
        Some(data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mutants_differ_and_come_again() {
        let corpus = vec![b"{\"a\":1}\n{\"b\":2}\n".to_vec(), b"key = \"value\"\n".to_vec()];
        let first: Vec<_> = Mutations::new(&corpus, 7).take(200).collect();
        assert_eq!(first, Mutations::new(&corpus, 7).take(200).collect::<Vec<_>>());
        assert!(first.iter().filter(|mutant| !corpus.contains(mutant)).count() > 180);
        assert_eq!(Mutations::new(&[], 7).take(50).count(), 50, "without a corpus, too");
    }
}
