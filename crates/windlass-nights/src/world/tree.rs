//! A working tree of a few files. A file's content is a number; 0 = there is no such file.

/// How many files there can be.
pub(crate) const FILES: usize = 9;

/// What they are called in stories. The first one holds the work: its content says how far it has come.
pub(crate) const NAMES: [&str; FILES] = [
    "src/work",
    "src/parser",
    "src/loop",
    "README",
    "scratch",
    "tests/one",
    "report",
    "data/set",
    "the plan",
];

/// What a file is that was changed on both sides, plus its number.
const CONFLICT: u32 = 600_000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tree([u32; FILES]);

impl Tree {
    pub fn get(&self, file: u8) -> u32 {
        self.0[usize::from(file)]
    }

    pub fn put(&mut self, file: u8, content: u32) {
        self.0[usize::from(file)] = content;
    }

    /// How far the work has come.
    pub fn done(&self) -> u32 {
        self.0[0]
    }

    pub fn files(&self) -> impl Iterator<Item = (u8, u32)> {
        (0_u8..).zip(self.0).filter(|(_, content)| *content != 0)
    }

    /// Files that differ.
    pub fn changes(&self, other: &Tree) -> impl Iterator<Item = u8> {
        (0_u8..).zip(self.0.iter().zip(other.0)).filter(|(_, (one, two))| **one != *two).map(|(file, _)| file)
    }

    /// Both sides' changes. Where they changed the same, there is this side's content with marks in it, and the file's
    /// number is among those given.
    pub fn merged(base: &Tree, ours: &Tree, theirs: &Tree) -> (Tree, Vec<u8>) {
        let mut merged = *ours;
        let mut conflicts = Vec::new();
        for (file, at) in (0_u8..).zip(0..FILES) {
            let (base, ours, theirs) = (base.0[at], ours.0[at], theirs.0[at]);
            let both = one_of(base, ours, theirs);
            merged.0[at] = both.unwrap_or_else(|| {
                conflicts.push(file);
                CONFLICT + u32::from(file)
            });
        }
        (merged, conflicts)
    }

    /// Files with marks of conflicts in them.
    pub fn conflicts(&self) -> impl Iterator<Item = u8> {
        self.files().filter(|(file, content)| *content == CONFLICT + u32::from(*file)).map(|(file, _)| file)
    }

    pub fn digest(&self) -> String {
        let mut mixed = 0xCBF2_9CE4_8422_2325_u64;
        for content in self.0 {
            mixed = (mixed ^ u64::from(content)).wrapping_mul(0x0000_0100_0000_01B3);
            mixed ^= mixed >> 29;
        }
        format!("{mixed:016x}")
    }
}

/// The changed one of two; `None` where both were changed, and not in the same way.
fn one_of<T: PartialEq + Copy>(base: T, ours: T, theirs: T) -> Option<T> {
    match () {
        () if ours == theirs || theirs == base => Some(ours),
        () if ours == base => Some(theirs),
        () => None,
    }
}
