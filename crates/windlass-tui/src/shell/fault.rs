//! Faults for tests, in debug builds only: `WINDLASS_TEST_PANIC` names the part of the view that panics, `view` or `reader`.

/// Panics where the environment asks for that.
#[cfg(debug_assertions)]
pub fn panic_in(part: &str) {
    let wanted = std::env::var_os("WINDLASS_TEST_PANIC").is_some_and(|wanted| wanted == part);
    assert!(!wanted, "the {part} was asked to panic");
}

/// A release build ignores it.
#[cfg(not(debug_assertions))]
pub const fn panic_in(_: &str) {}
