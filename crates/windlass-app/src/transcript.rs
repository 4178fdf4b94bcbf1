//! What an agent said and did in one call, page by page. [`FollowedRun::transcript`](crate::inspect::FollowedRun::transcript) opens one.

pub use windlass_core::observation::{Excerpt, Observation, ToolInput};
pub use windlass_engine::replay::pages::{
    BYTES, Content, Direction, Hit, LONGEST_DECODED, Page, ROWS, Recording, Row, SHOWN_BYTES, SHOWN_LINES,
    Transcript, Whole,
};
