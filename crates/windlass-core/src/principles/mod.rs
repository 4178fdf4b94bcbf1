//! Principles: how a project wants trade-offs to be decided, as 18 values from 1 to 10 in two layers (seed 004). What they
//! are called and what their ends mean is one table; agents get them with the protocol by which they decide.

mod level;
mod table;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoEnumIterator, IntoStaticStr, VariantNames};

pub use level::Level;
pub use table::{Principle, PrincipleLayer};

/// Where principles are looked for, from the working directory; the first that is there holds.
pub const USUAL_FILES: [&str; 2] = [".windlass/principles.yaml", ".claude/principles.yaml"];

/// Where an agent writes what it proposes, in the working directory: whoever steers Windlass is no guest.
pub const PROPOSAL: &str = "principles.proposed.yaml";

/// So often an agent is asked to derive them.
pub const COLLECTIONS: u32 = 3;

/// The format's version, as claude-loop writes it.
pub const VERSION: &str = "2.3";

/// How is decided by principles: the steps of claude-loop.
pub const STEPS: &str = "\
Where several ways are open:
1. Compatibility: take a way that serves every principle concerned.
2. Constraints before objectives: what must hold (limits, duties, values of 1, 2, 9 or 10) goes before wishes.
3. Priority, in this order: law, security, the user's wish, data integrity, quality, speed, comfort.
";

/// What an agent at work does where the steps settle nothing, in nights in which nobody answers.
pub const REPORTING: &str = "\
Say which principle decided. If a conflict stays open, take the way easier to undo, go on, and put a JSON object on \
a line of your last message: its key `principle_conflict` holds an object of `principles` (names), `options` (sentences) \
and `question`.
";

/// What is done where a project has no principles yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Collection {
    /// Agents decide without them.
    #[default]
    Never,
    /// The agent of the first iteration derives them.
    Agent,
}

impl Collection {
    /// Are they to be derived?
    pub const fn is_wanted(self) -> bool {
        matches!(self, Collection::Agent)
    }
}

/// What a project's values come from.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr, VariantNames, strum::EnumIter,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Preset {
    /// A young product.
    Startup,
    /// Software for organisations.
    Enterprise,
    /// A project that others contribute to.
    Opensource,
    /// None of these: all in the middle until somebody says otherwise.
    Custom,
}

impl Preset {
    /// The preset of this name.
    pub fn parse(name: &str) -> Option<Preset> {
        Preset::iter().find(|preset| <&str>::from(*preset) == name)
    }

    /// What a person who chooses it is asked besides, as claude-loop asks it.
    pub fn questions(self) -> Vec<Principle> {
        match self {
            Preset::Startup => vec![Principle::ScopePhilosophy, Principle::SpeedCorrectness],
            Preset::Enterprise => vec![Principle::BlastRadius, Principle::InnovationStability],
            Preset::Opensource => vec![Principle::CurationModel, Principle::UxPhilosophy],
            Preset::Custom => Principle::iter().collect(),
        }
    }
}

/// A project's principles: a value for each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Principles {
    /// What they come from.
    pub preset: Preset,
    /// What is not named is in the middle, as in journals from before it was a principle.
    values: BTreeMap<Principle, Level>,
}

impl Principles {
    /// Those of a preset.
    pub fn of(preset: Preset) -> Principles {
        let values = Principle::iter().map(|principle| (principle, principle.in_preset(preset)));
        Principles { preset, values: values.collect() }
    }

    /// The same with another value.
    pub fn with(mut self, principle: Principle, level: Level) -> Principles {
        self.values.insert(principle, level);
        self
    }

    /// The value of one.
    pub fn level(&self, principle: Principle) -> Level {
        self.values.get(&principle).copied().unwrap_or(Level::MIDDLE)
    }

    /// All of them, in the table's order.
    pub fn iter(&self) -> impl Iterator<Item = (Principle, Level)> {
        Principle::iter().map(|principle| (principle, self.level(principle)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: 100
    #[test]
    fn presets_are_the_documented_ones() {
        let levels = |preset| Principles::of(preset).iter().map(|(_, level)| level.get()).collect::<Vec<_>>();
        assert_eq!(levels(Preset::Startup), [7, 6, 3, 5, 7, 4, 6, 5, 7, 4, 6, 7, 6, 7, 7, 3, 6, 5]);
        assert_eq!(levels(Preset::Enterprise), [9, 8, 7, 8, 9, 6, 7, 9, 6, 8, 8, 9, 8, 9, 9, 5, 5, 7]);
        assert_eq!(levels(Preset::Opensource), [6, 5, 6, 2, 8, 5, 4, 7, 9, 7, 7, 8, 9, 8, 8, 4, 7, 8]);
        assert_eq!(levels(Preset::Custom), [5; 18]);
    }

    #[test]
    fn a_journal_keeps_each_value_under_its_name() {
        let seven = Level::new(7).unwrap();
        let principles = Principles::of(Preset::Custom).with(Principle::ScopePhilosophy, seven);
        let json = serde_json::to_value(&principles).unwrap();
        assert_eq!(json["preset"], "custom");
        assert_eq!(json["values"]["scope_philosophy"], 7);
        assert_eq!(json["values"].as_object().unwrap().len(), 18);
        assert_eq!(serde_json::from_value::<Principles>(json.clone()).unwrap(), principles);

        let mut older = json.clone();
        older["values"].as_object_mut().unwrap().remove("auditability");
        let older: Principles = serde_json::from_value(older).unwrap();
        assert_eq!(older.level(Principle::Auditability), Level::MIDDLE);

        let mut wrong = json;
        wrong["values"]["auditability"] = 11.into();
        assert!(serde_json::from_value::<Principles>(wrong).is_err());
    }
}
