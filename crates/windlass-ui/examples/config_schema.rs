//! Writes the schema of configuration files to stdout:
//! `cargo run -p windlass-ui --example config_schema > docs/config-schema.json`.

use std::io::{Error, Write as _};

fn main() -> std::io::Result<()> {
    let schema = windlass_core::config::config_schema().map_err(Error::other)?;
    std::io::stdout().write_all(schema.as_bytes())
}
