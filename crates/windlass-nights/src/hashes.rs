//! What the journals of nights hold, as hashes: whoever moves code and changes no behaviour changes none of them.

use std::fmt::{self, Display, Formatter};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::fleet::{FleetScript, play_fleet};
use crate::night::play;
use crate::script::Script;

/// Nights of one block.
const BLOCK: u64 = 1_000;

/// The hash of a block of nights, and one byte of each night's own, by which the first that differs is found.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Block {
    first: u64,
    whole: u64,
    nights: Vec<u8>,
}

/// The hashes of nights from seed 1 on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hashes {
    blocks: Vec<Block>,
}

impl Hashes {
    /// Plays nights of all modes; as many whole blocks as `nights` has.
    pub fn play(nights: u64, threads: usize) -> Hashes {
        Hashes::of(nights, threads, |seed| hash(play(&Script::draw(seed, None), None).journal()))
    }

    /// The same with nights of a fleet.
    pub fn play_fleet(nights: u64, threads: usize) -> Hashes {
        Hashes::of(nights, threads, |seed| hash(&play_fleet(&FleetScript::draw(seed), None).journal()))
    }

    fn of(nights: u64, threads: usize, hash_of: impl Fn(u64) -> u64 + Sync) -> Hashes {
        let count = nights / BLOCK;
        let next = AtomicU64::new(0);
        let blocks = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..threads.max(1) {
                scope.spawn(|| {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= count {
                            break;
                        }
                        let first = 1 + number * BLOCK;
                        let block = Block::of(first..first + BLOCK, &hash_of);
                        blocks.lock().unwrap_or_else(PoisonError::into_inner).push(block);
                    }
                });
            }
        });
        let mut blocks = blocks.into_inner().unwrap_or_else(PoisonError::into_inner);
        blocks.sort_by_key(|block| block.first);
        Hashes { blocks }
    }

    /// As they are kept in a file.
    ///
    /// # Errors
    /// Text that was not written by [`Display`], with the line's number.
    pub fn parse(text: &str) -> Result<Hashes, String> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#'));
        let blocks = lines.map(|(number, line)| {
            Block::parse(line).ok_or_else(|| format!("line {} is not a block's hashes", number + 1))
        });
        Ok(Hashes { blocks: blocks.collect::<Result<_, _>>()? })
    }

    /// How many nights these are.
    pub fn nights(&self) -> u64 {
        self.blocks.len() as u64 * BLOCK
    }

    /// The first night whose journal is not what `kept` says, as far as both go.
    pub fn first_difference(&self, kept: &Hashes) -> Option<Difference> {
        let (ours, kept) = self.blocks.iter().zip(&kept.blocks).find(|(ours, kept)| ours != kept)?;
        let same = ours.nights.iter().zip(&kept.nights).take_while(|(ours, kept)| ours == kept).count();
        Some(if same < ours.nights.len() {
            Difference::Night(ours.first + same as u64)
        } else {
            Difference::Among(ours.first..ours.first + BLOCK)
        })
    }
}

impl Display for Hashes {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        writeln!(
            formatter,
            "# First seed, hash of the journals of {BLOCK} nights, one byte of each night's own."
        )?;
        for block in &self.blocks {
            write!(formatter, "{} {:016x} ", block.first, block.whole)?;
            for byte in &block.nights {
                write!(formatter, "{byte:02x}")?;
            }
            writeln!(formatter)?;
        }
        Ok(())
    }
}

/// Where journals begin to differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// The night of this seed.
    Night(u64),
    /// One of these: its byte is the same by chance.
    Among(Range<u64>),
}

impl Block {
    fn of(seeds: Range<u64>, hash_of: impl Fn(u64) -> u64) -> Block {
        let first = seeds.start;
        let hashes: Vec<u64> = seeds.map(hash_of).collect();
        let all: Vec<u8> = hashes.iter().flat_map(|one| one.to_le_bytes()).collect();
        Block { first, whole: hash(&all), nights: hashes.iter().map(|one| one.to_le_bytes()[0]).collect() }
    }

    fn parse(line: &str) -> Option<Block> {
        let [first, whole, nights] = line.split(' ').collect::<Vec<_>>().try_into().ok()?;
        let bytes = nights.as_bytes().chunks_exact(2);
        let nights = bytes.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
        let nights = nights.collect::<Option<Vec<u8>>>().filter(|nights| nights.len() as u64 == BLOCK)?;
        Some(Block { first: first.parse().ok()?, whole: u64::from_str_radix(whole, 16).ok()?, nights })
    }
}

/// FNV-1a: nobody tries to deceive it.
fn hash(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, Block, Difference, Hashes};

    fn hashes() -> Hashes {
        let block = |first| Block { first, whole: first * 7, nights: vec![9; 1_000] };
        Hashes { blocks: vec![block(1), block(1 + BLOCK)] }
    }

    #[test]
    fn what_is_kept_is_read_back_and_anything_else_is_refused() {
        assert_eq!(Hashes::parse(&hashes().to_string()), Ok(hashes()));
        assert_eq!(hashes().nights(), 2_000);
        assert_eq!(Hashes::parse("# a remark\n1 12 abc\n"), Err("line 2 is not a block's hashes".to_owned()));
    }

    #[test]
    fn the_first_night_that_differs_is_named() {
        let kept = hashes();
        assert_eq!(kept.first_difference(&hashes()), None);
        let mut now = hashes();
        now.blocks[1].nights[41] = 8;
        assert_eq!(now.first_difference(&kept), Some(Difference::Night(1_042)));
        let mut now = hashes();
        now.blocks[0].whole = 8;
        assert_eq!(now.first_difference(&kept), Some(Difference::Among(1..1_001)));
        now.blocks.clear();
        assert_eq!(now.first_difference(&kept), None, "as far as both go");
    }
}
