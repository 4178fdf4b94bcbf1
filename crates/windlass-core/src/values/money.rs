//! Money and tokens.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Money, in millionths of a US dollar; written in JSON as a number of dollars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cost(u64);

impl Cost {
    /// Nothing.
    pub const ZERO: Cost = Cost(0);

    /// From millionths of a dollar.
    pub const fn from_micros(micros: u64) -> Cost {
        Cost(micros)
    }

    /// From dollars, rounded to the nearest millionth. What is negative, infinite or not a number is nothing.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped just before")]
    pub fn from_dollars(dollars: f64) -> Cost {
        if dollars.is_finite() && dollars > 0.0 {
            Cost((dollars * 1e6).round().min(1e18) as u64)
        } else {
            Cost::ZERO
        }
    }

    /// In millionths of a dollar.
    pub const fn micros(self) -> u64 {
        self.0
    }

    /// Is it nothing?
    pub const fn is_zero(&self) -> bool {
        self.0 == 0
    }

    /// In dollars.
    pub fn dollars(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// What is left after `other` is taken; never less than nothing.
    pub const fn minus(self, other: Cost) -> Cost {
        Cost(self.0.saturating_sub(other.0))
    }
}

impl Add for Cost {
    type Output = Cost;
    fn add(self, other: Cost) -> Cost {
        Cost(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Cost) {
        *self = *self + other;
    }
}

impl Sum for Cost {
    fn sum<I: Iterator<Item = Cost>>(costs: I) -> Cost {
        costs.fold(Cost::ZERO, Add::add)
    }
}

/// `$1.23`; four digits below a dollar (`$0.0008`), since one iteration may cost less than a cent.
impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = if self.0 > 0 && self.0 < 1_000_000 {
            format!("${:.4}", self.dollars())
        } else {
            format!("${:.2}", self.dollars())
        };
        f.pad(&text)
    }
}

/// Money that was spent, and the part of it that nobody reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// All of it.
    pub cost: Cost,
    /// What of it is an estimate.
    pub estimated: Cost,
}

impl Spent {
    /// One amount that is known, or is an estimate.
    pub const fn of(cost: Cost, is_estimate: bool) -> Spent {
        Spent { cost, estimated: if is_estimate { cost } else { Cost::ZERO } }
    }

    /// In words, with the amounts written like this: `$4.60`, `≈$4.60` where all of it is an estimate, and both apart where
    /// a part is: `$4.60 (≈$3.40 estimated)`.
    pub fn written(self, amount: impl Fn(Cost) -> String) -> String {
        let all = amount(self.cost);
        if self.estimated == Cost::ZERO {
            all
        } else if self.estimated >= self.cost {
            format!("≈{all}")
        } else {
            format!("{all} (≈{} estimated)", amount(self.estimated))
        }
    }

    /// This instead of a part of it that was an estimate.
    #[must_use]
    pub fn with(self, new: Spent, instead_of: Cost) -> Spent {
        Spent {
            cost: self.cost.minus(instead_of) + new.cost,
            estimated: self.estimated.minus(instead_of) + new.estimated,
        }
    }
}

impl AddAssign for Spent {
    fn add_assign(&mut self, other: Spent) {
        self.cost += other.cost;
        self.estimated += other.estimated;
    }
}

impl fmt::Display for Spent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.written(|cost| cost.to_string()))
    }
}

impl Serialize for Cost {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.dollars())
    }
}

impl<'de> Deserialize<'de> for Cost {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Cost, D::Error> {
        f64::deserialize(deserializer).map(Cost::from_dollars)
    }
}

/// Tokens as the agent reports them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tokens {
    /// Read from the prompt, not from a cache.
    pub input: u64,
    /// Written by the model.
    pub output: u64,
    /// Put into the prompt cache.
    pub cache_creation: u64,
    /// Read from the prompt cache.
    pub cache_read: u64,
}

impl Tokens {
    /// All of them: what `--max-tokens` counts (seed row 56).
    pub const fn total(self) -> u64 {
        self.input
            .saturating_add(self.output)
            .saturating_add(self.cache_creation)
            .saturating_add(self.cache_read)
    }

    /// These instead of a part of them.
    #[must_use]
    pub fn with(self, new: Tokens, instead_of: Tokens) -> Tokens {
        let mut all = Tokens {
            input: self.input.saturating_sub(instead_of.input),
            output: self.output.saturating_sub(instead_of.output),
            cache_creation: self.cache_creation.saturating_sub(instead_of.cache_creation),
            cache_read: self.cache_read.saturating_sub(instead_of.cache_read),
        };
        all += new;
        all
    }
}

impl AddAssign for Tokens {
    fn add_assign(&mut self, other: Tokens) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cache_creation = self.cache_creation.saturating_add(other.cache_creation);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
    }
}

impl Sum for Tokens {
    fn sum<I: Iterator<Item = Tokens>>(tokens: I) -> Tokens {
        tokens.fold(Tokens::default(), |all, more| all.with(more, Tokens::default()))
    }
}
