//! `objects/info/alternates`: folders of objects that are borrowed.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// A folder as `objects/info/alternates` names it: quoted, as it may contain a line's end.
pub(crate) fn alternate(folder: &Path) -> Vec<u8> {
    let mut line = vec![b'"'];
    for byte in folder.as_os_str().as_bytes() {
        match byte {
            b'"' | b'\\' => line.extend_from_slice(&[b'\\', *byte]),
            0..=31 => line.extend_from_slice(format!("\\{byte:03o}").as_bytes()),
            byte => line.push(*byte),
        }
    }
    line.extend_from_slice(b"\"\n");
    line
}

/// The folders that `objects/info/alternates` names.
pub(crate) fn alternates(listing: &[u8]) -> Vec<Vec<u8>> {
    let lines =
        listing.split(|byte| *byte == b'\n').filter(|line| !line.is_empty() && !line.starts_with(b"#"));
    lines.map(|line| line.strip_prefix(b"\"").map_or_else(|| line.to_vec(), unquoted)).collect()
}

/// What stands before the closing quotation mark, without its escapes.
fn unquoted(line: &[u8]) -> Vec<u8> {
    let (mut path, mut bytes) = (Vec::new(), line.iter().copied().peekable());
    while let Some(byte) = bytes.next() {
        match (byte, bytes.peek().copied()) {
            (b'"', _) => break,
            (b'\\', Some(b'0'..=b'7')) => {
                let digits = std::iter::from_fn(|| bytes.next_if(|byte| (b'0'..=b'7').contains(byte)));
                let value = digits.take(3).fold(0_u32, |value, digit| value * 8 + u32::from(digit - b'0'));
                path.push(u8::try_from(value).unwrap_or(b'?'));
            }
            (b'\\', Some(escaped)) => {
                bytes.next();
                path.push(match escaped {
                    b'n' => b'\n',
                    b't' => b'\t',
                    b'r' => b'\r',
                    other => other,
                });
            }
            (byte, _) => path.push(byte),
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    use crate::git::as_path;

    proptest! {
        #[test]
        fn what_is_borrowed_is_read_as_it_was_written(path in proptest::collection::vec(1..=255_u8, 1..40)) {
            let line = alternate(as_path(&path));
            prop_assert_eq!(alternates(&line), vec![path]);
        }

        #[test]
        fn any_bytes_can_be_read(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            alternates(&bytes);
        }
    }
}
