//! What holds in a workspace that says nothing itself.

use toml::Value as Toml;

use crate::config::Layer;
use crate::spec::Mode;

/// What holds in a workspace that says nothing itself.
#[derive(Clone, Debug, PartialEq)]
pub enum Beneath {
    /// What these layers say, the weakest first, over the defaults.
    Known(Vec<Layer>),
    /// It cannot be told, or is about to change: whatever a workspace says has to stand in its own file.
    Open,
}

impl Default for Beneath {
    /// The defaults alone.
    fn default() -> Beneath {
        Beneath::Known(Vec::new())
    }
}

impl Beneath {
    /// Does exactly this hold there in this mode?
    pub fn says(&self, mode: Mode, key: &str, value: &Toml) -> bool {
        let Beneath::Known(layers) = self else { return false };
        let said = layers.iter().rev().find_map(|layer| layer.value(key));
        match said {
            Some(said) => said == value,
            None => Layer::defaults(mode).is_ok_and(|defaults| defaults.value(key) == Some(value)),
        }
    }
}
