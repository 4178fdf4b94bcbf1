//! Writes the page about the forms of tasks to stdout: `cargo run -q -p windlass-ui --example sources > docs/sources.md`.

use std::io::Write as _;

fn main() -> std::io::Result<()> {
    std::io::stdout().write_all(windlass_jobs::doc::tasks::sources::page().as_bytes())
}
