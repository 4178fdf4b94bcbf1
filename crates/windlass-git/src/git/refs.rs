//! References: names for commits, in files of their own and in `packed-refs`.

use std::collections::BTreeMap;

use super::ObjectId;

/// What a reference's file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefValue {
    /// An object.
    Direct(ObjectId),
    /// Another reference, by its full name.
    Symbolic(Vec<u8>),
}

impl RefValue {
    /// Reads the content of `HEAD` or of a file below `refs/`; `None` when it is neither kind.
    pub fn parse(content: &[u8]) -> Option<Self> {
        let line = content.trim_ascii_end();
        match line.strip_prefix(b"ref:") {
            Some(target) => Some(Self::Symbolic(target.trim_ascii_start().to_vec())),
            None => ObjectId::from_hex(line).map(Self::Direct),
        }
    }

    /// The content of the file that says so.
    pub fn content(&self) -> Vec<u8> {
        match self {
            Self::Direct(id) => format!("{id}\n").into_bytes(),
            Self::Symbolic(target) => [b"ref: ", target.as_slice(), b"\n"].concat(),
        }
    }
}

/// The references in a `packed-refs` file, by full name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackedRefs(pub BTreeMap<Vec<u8>, ObjectId>);

impl PackedRefs {
    /// Reads a `packed-refs` file. Lines that are not references (comments, peeled tags, damage) are passed over.
    pub fn parse(content: &[u8]) -> Self {
        let references = content.split(|byte| *byte == b'\n').filter_map(|line| {
            let space = line.iter().position(|byte| *byte == b' ')?;
            let (id, name) = line.split_at_checked(space)?;
            Some((name.trim_ascii().to_vec(), ObjectId::from_hex(id)?))
        });
        Self(references.filter(|(name, _)| name.starts_with(b"refs/")).collect())
    }

    /// Would git read it? It reads nothing at all where one line of it is none.
    pub fn is_sound(content: &[u8]) -> bool {
        let Some(lines) = content.strip_suffix(b"\n") else { return content.is_empty() };
        lines.split(|byte| *byte == b'\n').all(|line| match line.first() {
            Some(b'#') => true,
            Some(b'^') => line.get(1..).and_then(ObjectId::from_hex).is_some(),
            _ => {
                let space = line.iter().position(|byte| *byte == b' ').unwrap_or_default();
                let (id, name) = line.split_at_checked(space).unwrap_or_default();
                ObjectId::from_hex(id).is_some() && name.len() > 1
            }
        })
    }
}

/// May a file of this name be read as a reference? Git's own rule, as far as it protects the file system.
pub fn is_safe_name(name: &[u8]) -> bool {
    let parts_are_plain =
        name.split(|byte| *byte == b'/').all(|part| !part.is_empty() && !part.starts_with(b"."));
    parts_are_plain && !name.contains(&0) && !name.ends_with(b".lock")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ID: &str = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";

    #[test]
    fn a_reference_is_an_object_or_another_reference() {
        let id = ObjectId::from_hex(ID.as_bytes()).unwrap();
        let cases: [(&str, Option<RefValue>); 5] = [
            (ID, Some(RefValue::Direct(id))),
            (&format!("{ID}\n"), Some(RefValue::Direct(id))),
            ("ref: refs/heads/main\n", Some(RefValue::Symbolic(b"refs/heads/main".to_vec()))),
            ("", None),
            ("something else\n", None),
        ];
        for (content, value) in cases {
            assert_eq!(RefValue::parse(content.as_bytes()), value, "{content:?}");
        }
    }

    #[test]
    fn packed_references_are_read_without_comments_peeled_tags_and_damage() {
        let text = format!(
            "# pack-refs with: peeled fully-peeled sorted\n{ID} refs/heads/a\n{ID} refs/tags/t\n^{ID}\nnonsense\n{ID}"
        );
        let names: Vec<_> = PackedRefs::parse(text.as_bytes()).0.into_keys().collect();
        assert_eq!(names, [b"refs/heads/a".to_vec(), b"refs/tags/t".to_vec()]);
    }

    #[test]
    fn a_list_with_a_line_that_is_none_is_read_by_no_git() {
        let sound = format!("# pack-refs with: peeled\n{ID} refs/tags/t\n^{ID}\n");
        assert!(PackedRefs::is_sound(sound.as_bytes()) && PackedRefs::is_sound(b""));
        for broken in ["garbage\n", "\n", &format!("{ID}\n"), &format!("{ID} refs/heads/a"), "^x\n"] {
            assert!(!PackedRefs::is_sound(broken.as_bytes()), "{broken:?}");
        }
    }

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        for name in
            ["refs/heads/../../x", "refs//x", "/etc/passwd", "refs/heads/.hidden", "refs/heads/x.lock", ""]
        {
            assert!(!is_safe_name(name.as_bytes()), "{name}");
        }
        assert!(is_safe_name("refs/heads/größe/🚀".as_bytes()));
    }

    proptest! {
        #[test]
        fn any_bytes_can_be_parsed(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            PackedRefs::parse(&bytes);
            if let Some(value) = RefValue::parse(&bytes) {
                prop_assert_eq!(RefValue::parse(&value.content()), Some(value));
            }
        }
    }
}
