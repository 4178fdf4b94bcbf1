//! The exit codes of errors.

use super::{Codes, Kind};
use crate::configuration::exit_codes_here;

impl Kind {
    /// What a process ends with that ends with it.
    pub fn exit_code(self) -> u8 {
        match self {
            Kind::Usage | Kind::Configuration => 2,
            Kind::System | Kind::Internal => 1,
            Kind::Stopped(reason, Codes::Of(codes)) => reason.exit_code(codes),
            Kind::Stopped(reason, Codes::AsConfigured) => reason.exit_code(exit_codes_here()),
        }
    }
}
