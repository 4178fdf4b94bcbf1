//! How deep a text nests, before it is parsed: a parser's work grows with depth times lines.

/// The deepest nesting of lists and quotes that is read.
pub const DEEPEST: usize = 200;

/// The first line that may nest deeper than [`DEEPEST`], from 1. Estimated from what a line begins with: each list or quote
/// needs a marker of its own, or two columns of indentation.
pub fn too_deep(text: &str) -> Option<usize> {
    let mut at = 0;
    for line in text.split(['\n', '\r']) {
        if depth(line.as_bytes()) > DEEPEST {
            let before = text.as_bytes().get(..at).unwrap_or_default();
            return Some(1 + memchr::memchr_iter(b'\n', before).count());
        }
        at += line.len() + 1;
    }
    None
}

/// Does a text nest too deeply to be parsed as Markdown?
pub fn is_too_deep(text: &str) -> bool {
    too_deep(text).is_some()
}

fn depth(line: &[u8]) -> usize {
    // Without so many bytes there is no such depth.
    if line.len() <= DEEPEST / 2 {
        return 0;
    }
    let (mut depth, mut columns) = (0, 0);
    let mut rest = line;
    while let [first, after @ ..] = rest {
        match first {
            b' ' => columns += 1,
            b'\t' => columns += 4,
            b'>' => depth += 1,
            b'-' | b'*' | b'+' if is_space(after.first()) => depth += 1,
            b'0'..=b'9' => {
                let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
                let closed = matches!(rest.get(digits), Some(b'.' | b')')) && is_space(rest.get(digits + 1));
                if !closed {
                    break;
                }
                depth += 1;
                rest = rest.get(digits + 1..).unwrap_or_default();
                continue;
            }
            _ => break,
        }
        rest = after;
    }
    depth + columns / 2
}

fn is_space(byte: Option<&u8>) -> bool {
    matches!(byte, None | Some(b' ' | b'\t' | b'\r'))
}
