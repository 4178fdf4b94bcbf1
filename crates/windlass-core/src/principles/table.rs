//! The 18 principles: names, ends, and the values of the presets, as claude-loop documents them.

use serde::{Deserialize, Serialize};
use strum::{EnumIter, IntoEnumIterator, IntoStaticStr, VariantNames};

use super::{Level, Preset};
use crate::typed::nearest;

/// What a principle is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, EnumIter)]
#[strum(serialize_all = "snake_case")]
pub enum PrincipleLayer {
    /// The product.
    #[strum(serialize = "layer0")]
    Product,
    /// How it is developed.
    #[strum(serialize = "layer1")]
    Development,
}

impl PrincipleLayer {
    /// What people call it.
    pub const fn title(self) -> &'static str {
        match self {
            PrincipleLayer::Product => "Product",
            PrincipleLayer::Development => "Development",
        }
    }
}

/// A principle, in the order of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(IntoStaticStr, VariantNames, EnumIter)]
#[strum(serialize_all = "snake_case")]
#[expect(missing_docs, reason = "the table below says what each is about")]
pub enum Principle {
    TrustArchitecture,
    CurationModel,
    ScopePhilosophy,
    MonetizationModel,
    PrivacyPosture,
    UxPhilosophy,
    AuthorityStance,
    Auditability,
    Interoperability,
    SpeedCorrectness,
    InnovationStability,
    BlastRadius,
    ClarityOfIntent,
    ReversibilityPriority,
    SecurityPosture,
    UrgencyTiers,
    CostEfficiency,
    MigrationBurden,
}

/// What there is to say about a principle.
struct Row {
    layer: PrincipleLayer,
    /// What 1 and 10 mean.
    ends: [&'static str; 2],
    /// Startup, enterprise, opensource.
    presets: [u8; 3],
}

impl Principle {
    const fn row(self) -> Row {
        use PrincipleLayer::{Development, Product};
        let (layer, ends, presets) = match self {
            Principle::TrustArchitecture => (Product, ["permissive", "strict"], [7, 9, 6]),
            Principle::CurationModel => (Product, ["by algorithm", "by people"], [6, 8, 5]),
            Principle::ScopePhilosophy => (Product, ["the least that works", "rich in features"], [3, 7, 6]),
            Principle::MonetizationModel => (Product, ["free", "premium"], [5, 8, 2]),
            Principle::PrivacyPosture => (Product, ["collect data", "as little as possible"], [7, 9, 8]),
            Principle::UxPhilosophy => (Product, ["power", "simplicity"], [4, 6, 5]),
            Principle::AuthorityStance => (Product, ["freedom", "guidance"], [6, 7, 4]),
            Principle::Auditability => (Product, ["little is recorded", "everything is"], [5, 9, 7]),
            Principle::Interoperability => (Product, ["closed", "open"], [7, 6, 9]),
            Principle::SpeedCorrectness => (Development, ["speed", "correctness"], [4, 8, 7]),
            Principle::InnovationStability => (Development, ["new ways", "proven ways"], [6, 8, 7]),
            Principle::BlastRadius => (Development, ["large changes", "small changes"], [7, 9, 8]),
            Principle::ClarityOfIntent => (Development, ["implicit", "explicit"], [6, 8, 9]),
            Principle::ReversibilityPriority => {
                (Development, ["may be permanent", "can be rolled back"], [7, 9, 8])
            }
            Principle::SecurityPosture => (Development, ["basic", "the most possible"], [7, 9, 8]),
            Principle::UrgencyTiers => {
                (Development, ["everything is urgent", "everything in turn"], [3, 5, 4])
            }
            Principle::CostEfficiency => (Development, ["build it", "use what others made"], [6, 5, 7]),
            Principle::MigrationBurden => (Development, ["may be heavy", "avoid it"], [5, 7, 8]),
        };
        Row { layer, ends, presets }
    }

    /// The principle of this name.
    pub fn parse(name: &str) -> Option<Principle> {
        Principle::iter().find(|principle| <&str>::from(*principle) == name)
    }

    /// The one that was most likely meant; `None` when nothing is near.
    pub fn nearest(typed: &str) -> Option<Principle> {
        nearest(typed, Principle::VARIANTS.iter().copied()).and_then(Principle::parse)
    }

    /// What it is about.
    pub const fn layer(self) -> PrincipleLayer {
        self.row().layer
    }

    /// What 1 means.
    pub const fn low(self) -> &'static str {
        let [low, _] = self.row().ends;
        low
    }

    /// What 10 means.
    pub const fn high(self) -> &'static str {
        let [_, high] = self.row().ends;
        high
    }

    /// Its value in a preset.
    pub const fn in_preset(self, preset: Preset) -> Level {
        let [startup, enterprise, opensource] = self.row().presets;
        match preset {
            Preset::Startup => Level::of_table(startup),
            Preset::Enterprise => Level::of_table(enterprise),
            Preset::Opensource => Level::of_table(opensource),
            Preset::Custom => Level::MIDDLE,
        }
    }

    /// The principles of a layer.
    pub fn of_layer(layer: PrincipleLayer) -> impl Iterator<Item = Principle> {
        Principle::iter().filter(move |principle| principle.layer() == layer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_layer_has_nine_and_each_is_found_by_its_name() {
        for layer in PrincipleLayer::iter() {
            assert_eq!(Principle::of_layer(layer).count(), 9);
        }
        for principle in Principle::iter() {
            let name = <&str>::from(principle);
            assert_eq!(serde_json::to_value(principle).unwrap(), name);
            assert_eq!(Principle::parse(name), Some(principle));
            assert_ne!(principle.low(), principle.high());
            for preset in Preset::iter() {
                let level = principle.in_preset(preset);
                assert_eq!(Level::new(level.get()), Some(level), "{name}");
            }
        }
        assert_eq!(Principle::parse("scope"), None);
    }
}
