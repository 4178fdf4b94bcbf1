//! Writes the schema of `--json` to stdout: `cargo run -p windlass-ui --example schema > docs/json-schema.json`.

use std::io::Write as _;

fn main() -> std::io::Result<()> {
    std::io::stdout().write_all(windlass_ui::json_schema().as_bytes())
}
