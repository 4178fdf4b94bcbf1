//! `.archived.json`: what an archive of a workspace says of itself, and the names of archives (formats in part E1).

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::Serialize;
use serde_json::Value;

/// How an archive's name says when it was made: UTC, to the second.
const STAMP: &str = "%Y-%m-%dT%H-%M-%S";

/// The length of such a stamp in bytes.
const STAMP_LENGTH: usize = "2026-01-31T23-59-59".len();

/// What an archive says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ArchiveRecord {
    /// The workspace's name.
    pub original_name: String,
    /// The archive's name, without `.tar.gz`.
    pub archive_name: String,
    /// When it was made.
    pub archived_at: Option<Timestamp>,
    /// The folder that was archived; for people.
    pub archived_from: String,
}

impl ArchiveRecord {
    /// Reads whatever can be read; `None` when it is not a JSON object.
    pub fn parse(bytes: &[u8]) -> Option<ArchiveRecord> {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let Ok(Value::Object(fields)) = serde_json::from_slice(bytes) else { return None };
        let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        Some(ArchiveRecord {
            original_name: text("originalName"),
            archive_name: text("archiveName"),
            archived_at: text("archivedAt").parse().ok(),
            archived_from: text("archivedFrom"),
        })
    }

    /// The file's text, as people can read it.
    pub fn to_text(&self) -> String {
        // A record of texts can always be written.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

/// The name of an archive that is made now: `<workspace>-YYYY-MM-DDTHH-MM-SS`.
pub fn archive_name(workspace: &str, now: Timestamp) -> String {
    format!("{workspace}-{}", now.to_zoned(TimeZone::UTC).strftime(STAMP))
}

/// The workspace's name and the moment that an archive's name speaks of; a further archive of the same second ends in
/// `-2`, `-3` and so on.
pub fn read_archive_name(name: &str) -> Option<(&str, Timestamp)> {
    let stamped = |name: &'_ str| -> Option<Timestamp> {
        let at = DateTime::strptime(STAMP, name).ok()?;
        at.to_zoned(TimeZone::UTC).ok().map(|at| at.timestamp())
    };
    let without_number = name
        .rsplit_once('-')
        .filter(|(_, number)| number.len() < 10 && number.bytes().all(|byte| byte.is_ascii_digit()))
        .map(|(rest, _)| rest);
    [Some(name), without_number].into_iter().flatten().find_map(|name| {
        let (workspace, stamp) = name.split_at_checked(name.len().checked_sub(STAMP_LENGTH)?)?;
        Some((workspace.strip_suffix('-').filter(|name| !name.is_empty())?, stamped(stamp)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noon() -> Timestamp {
        "2026-03-01T12:00:05Z".parse().unwrap()
    }

    #[test]
    fn a_name_says_what_and_when() {
        assert_eq!(archive_name("demo", noon()), "demo-2026-03-01T12-00-05");
        for (name, found) in [
            ("demo-2026-03-01T12-00-05", Some("demo")),
            ("de-mo_1-2026-03-01T12-00-05", Some("de-mo_1")),
            ("demo-2026-03-01T12-00-05-2", Some("demo")),
            ("-2026-03-01T12-00-05", None),
            ("2026-03-01T12-00-05", None),
            ("demo-2026-13-01T12-00-05", None),
            ("demo", None),
            ("", None),
            ("ä-2026-03-01T12-00-0ü", None),
        ] {
            assert_eq!(read_archive_name(name), found.map(|found| (found, noon())), "{name}");
        }
    }

    #[test]
    fn a_record_is_read_field_by_field() {
        let record = ArchiveRecord {
            original_name: "demo".to_owned(),
            archive_name: "demo-2026-03-01T12-00-05".to_owned(),
            archived_at: Some(noon()),
            archived_from: "/home/ada/ledger".to_owned(),
        };
        assert_eq!(ArchiveRecord::parse(record.to_text().as_bytes()), Some(record.clone()));
        let odd =
            ArchiveRecord::parse(b"\xEF\xBB\xBF{\"originalName\":\"demo\",\"archivedAt\":5,\"more\":[]}");
        assert_eq!(odd, Some(ArchiveRecord { original_name: "demo".to_owned(), ..ArchiveRecord::default() }));
        for nothing in ["", "[]", "{\"originalName\":", "\u{0}"] {
            assert_eq!(ArchiveRecord::parse(nothing.as_bytes()), None, "{nothing:?}");
        }
    }
}
