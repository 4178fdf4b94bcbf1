//! Further checkouts of a repository: made, made ready, listed, removed.
//!
//! | file | holds |
//! |---|---|
//! | [`bootstrap`] | a fresh checkout gets what git does not track: copies, variables, a setup command |

pub mod bootstrap;
