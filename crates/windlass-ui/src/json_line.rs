//! Lines of JSON that are harmless in a terminal.

use std::io;

use serde::Serialize;
use serde_json::ser::Formatter;

use crate::harmless::is_harmless;

/// The version of the lines' format.
pub const FORMAT_VERSION: u32 = 1;

/// A value on one line, with its newline.
pub(crate) fn bytes<T: Serialize>(value: &T) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(256);
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, Harmless);
    value.serialize(&mut serializer).ok()?;
    bytes.push(b'\n');
    Some(bytes)
}

/// Compact JSON in which also those control characters are escaped that JSON itself would let through.
struct Harmless;

impl Formatter for Harmless {
    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut written = 0;
        for (start, character) in fragment.char_indices().filter(|&(_, character)| !is_harmless(character)) {
            writer.write_all(fragment.get(written..start).unwrap_or_default().as_bytes())?;
            write!(writer, "\\u{:04x}", u32::from(character))?;
            written = start + character.len_utf8();
        }
        writer.write_all(fragment.get(written..).unwrap_or_default().as_bytes())
    }

    /// JSON that somebody else wrote. Outside of texts the only such character that JSON knows is the carriage return.
    fn write_raw_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        for (index, part) in fragment.split(['\r', '\n']).enumerate() {
            if index > 0 {
                writer.write_all(b" ")?;
            }
            self.write_string_fragment(writer, part)?;
        }
        Ok(())
    }
}
