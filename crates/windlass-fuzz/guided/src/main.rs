//! One target under libFuzzer: the one that `WINDLASS_FUZZ_TARGET` names.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;

static TARGET: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var("WINDLASS_FUZZ_TARGET").unwrap_or_default();
    windlass_fuzz::find(&name).map(|target| target.run).unwrap_or_else(|| panic!("there is no target `{name}`"))
});

fuzz_target!(|data: &[u8]| (*TARGET)(data));
