//! Chance that follows from a seed: the same on every machine and in every version.

/// The generator `SplitMix64`: a few lines of our own, so that no dependency's update ever changes what a seed means.
#[derive(Clone, Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// From 0 up to, and without, `end`; 0 when there is nothing to choose from.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next().checked_rem(end).unwrap_or(0)
    }

    /// Both ends included.
    pub fn between(&mut self, least: u64, most: u64) -> u64 {
        least + self.below(most - least + 1)
    }

    /// The same, for what fits into 32 bits.
    pub fn number(&mut self, least: u32, most: u32) -> u32 {
        u32::try_from(self.between(least.into(), most.into())).unwrap_or(most)
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// One of several, by weight.
    pub fn pick<T: Clone>(&mut self, choices: &[(u32, T)]) -> T {
        let sum: u64 = choices.iter().map(|(weight, _)| u64::from(*weight)).sum();
        let mut left = self.below(sum);
        for (weight, choice) in choices {
            if left < u64::from(*weight) {
                return choice.clone();
            }
            left -= u64::from(*weight);
        }
        choices[0].1.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::Dice;

    #[test]
    fn a_seed_means_the_same_for_ever() {
        let mut dice = Dice::new(7);
        let first: Vec<u64> = (0..3).map(|_| dice.next()).collect();
        assert_eq!(first, [7_191_089_600_892_374_487, 309_689_372_594_955_804, 16_616_101_746_815_609_346]);
    }
}
