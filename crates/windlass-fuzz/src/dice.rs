//! Choices that follow from the input alone, so that a failing input always fails in the same way.

/// A small generator of numbers (splitmix64).
#[derive(Clone, Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    /// Its numbers follow from this one.
    pub const fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    /// Its numbers follow from these bytes.
    pub fn of(data: &[u8]) -> Dice {
        let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3);
        Dice(data.iter().fold(0xCBF2_9CE4_8422_2325, mix))
    }

    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`; 0 where there is none.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound.max(1)).unwrap_or(u64::MAX);
        usize::try_from(self.next() % bound).unwrap_or(0)
    }

    /// One of these.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        of.get(self.below(of.len()))
    }

    /// The bytes, cut into pieces: many small ones or few large ones.
    pub fn pieces<'a>(&mut self, data: &'a [u8]) -> Vec<&'a [u8]> {
        let largest = [1, 3, 16, 200, 5000].get(self.below(5)).copied().unwrap_or(1);
        // Not more than some hundreds, or a long input would be read a million times over.
        let largest = largest.max(data.len() / 300);
        let (mut pieces, mut rest) = (Vec::new(), data);
        while !rest.is_empty() {
            let (piece, later) = rest.split_at((1 + self.below(largest)).min(rest.len()));
            pieces.push(piece);
            rest = later;
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_the_whole_and_the_same_each_time() {
        let data: Vec<u8> = (0..=255).cycle().take(3000).collect();
        let pieces = Dice::of(&data).pieces(&data);
        assert_eq!(pieces.concat(), data);
        assert_eq!(Dice::of(&data).pieces(&data), pieces);
        assert!(pieces.len() > 1);
    }
}
