//! Output in bulk, for benchmarks and for agents that misbehave: made once, written many times.

use std::io::Write;
use std::thread;

use super::steps::{Events, LongLine};
use super::stream::Stream;

/// What is written at a time.
const BLOCK: usize = 64 * 1024;

/// So many bytes that are not JSON and no text, line ends among them; the same each time.
pub fn noise<W: Write>(stream: &mut Stream<W>, bytes: u64) {
    let block = noise_block();
    let mut left = bytes;
    while left > 0 {
        let size = usize::try_from(left).unwrap_or(BLOCK).min(BLOCK);
        stream.bytes(block.get(..size).unwrap_or(&block));
        left -= size as u64;
    }
    stream.bytes(b"\n");
}

/// One line of so many bytes.
pub fn long_line<W: Write>(stream: &mut Stream<W>, line: LongLine) {
    let bytes = stream.padded_line(line.kind, line.bytes);
    stream.bytes(&bytes);
    stream.bytes(b"\n");
}

/// Many events of one size.
pub fn events<W: Write>(stream: &mut Stream<W>, events: Events) {
    let mut line = stream.padded_line(events.kind, events.size);
    line.push(b'\n');
    if !events.every.is_zero() {
        for _ in 0..events.count {
            stream.bytes(&line);
            stream.flush();
            thread::sleep(events.every);
        }
        return;
    }
    let per_block = (BLOCK / line.len()).max(1) as u64;
    let block = line.repeat(usize::try_from(per_block).unwrap_or(1));
    for _ in 0..events.count / per_block {
        stream.bytes(&block);
    }
    for _ in 0..events.count % per_block {
        stream.bytes(&line);
    }
}

/// Bytes of a xorshift generator: nearly all of its lines are not UTF-8, none is an event.
fn noise_block() -> Vec<u8> {
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut block = Vec::with_capacity(BLOCK);
    while block.len() < BLOCK {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        block.extend_from_slice(&state.to_le_bytes());
    }
    block
}
