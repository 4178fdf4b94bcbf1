//! `.template.json`: what a template says of itself (format in part E1), and the options that go with it.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value};
use windlass_core::spec::Mode;

/// The longest record that is read, in bytes.
pub const LONGEST_RECORD: usize = 1024 * 1024;

/// What a template says of itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TemplateRecord {
    /// Its name; the folder's name wins.
    pub name: String,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Iterations that a job of this kind takes, as somebody thinks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimated_iterations: Option<u64>,
    /// When it was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<Timestamp>,
    /// [`Mode::Loop`] or [`Mode::Iterative`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// Fields of others: `version`, `author`, the options of claude-iterate.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl TemplateRecord {
    /// Reads the file's bytes: whatever can be read counts. With it comes one sentence for each field that was left out.
    pub fn parse(bytes: &[u8]) -> Result<(TemplateRecord, Vec<String>), String> {
        if bytes.len() > LONGEST_RECORD {
            return Err("it is longer than 1 MB".to_owned());
        }
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let mut fields = match serde_json::from_slice(bytes) {
            Ok(Value::Object(fields)) => fields,
            Ok(_) => return Err("it is not a JSON object".to_owned()),
            Err(error) => return Err(format!("it is not JSON ({error})")),
        };
        let mut left = Vec::new();
        if fields.remove("completionMarkers").is_some() {
            left.push(
                "`completionMarkers` is left out: an agent claims completion in its status file".to_owned(),
            );
        }
        let mut take = |name: &str| fields.remove(name).filter(|value| !value.is_null());
        let record = TemplateRecord {
            name: take("name").and_then(text).unwrap_or_default(),
            description: take("description").and_then(text).filter(|text| !text.trim().is_empty()),
            tags: take("tags").and_then(texts).unwrap_or_default(),
            estimated_iterations: take("estimatedIterations").and_then(|value| value.as_u64()),
            created: take("created").and_then(text).and_then(|text| text.parse().ok()),
            mode: take("mode")
                .and_then(|value| serde_json::from_value(value).ok())
                .filter(|mode: &Mode| mode.works_on_workspace()),
            other: fields,
        };
        Ok((record, left))
    }

    /// The file's text, as people can read it.
    pub fn to_text(&self) -> String {
        // Texts, numbers and maps with texts as keys can always be written.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

fn text(value: Value) -> Option<String> {
    if let Value::String(text) = value { Some(text) } else { None }
}

fn texts(value: Value) -> Option<Vec<String>> {
    let Value::Array(values) = value else { return None };
    Some(values.into_iter().filter_map(text).collect())
}

/// A configuration's text without `notify.secret`, every other byte as it is; whether it was there.
///
/// # Errors
/// What is not TOML; or the secret shares its line with something else, so that a person has to move it.
pub fn without_secret(config: &str) -> Result<(String, bool), String> {
    let whole: toml::Table =
        config.parse().map_err(|error: toml::de::Error| error.message().replace('\n', ", "))?;
    let mut wanted = whole.clone();
    let secret =
        wanted.get_mut("notify").and_then(toml::Value::as_table_mut).and_then(|table| table.remove("secret"));
    if secret.is_none() {
        return Ok((config.to_owned(), false));
    }
    let shared =
        || "`notify.secret` shares its line with something else; give it a line of its own".to_owned();
    let span = secret_span(config).ok_or_else(shared)?;
    let start = config.get(..span.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let end = config
        .get(span.end..)
        .and_then(|after| after.find('\n'))
        .map_or(config.len(), |at| span.end + at + 1);
    let without =
        format!("{}{}", config.get(..start).unwrap_or_default(), config.get(end..).unwrap_or_default());
    let drop_empty = |mut table: toml::Table| {
        if table.get("notify").and_then(toml::Value::as_table).is_some_and(toml::Table::is_empty) {
            table.remove("notify");
        }
        table
    };
    match without.parse::<toml::Table>() {
        Ok(table) if drop_empty(table.clone()) == drop_empty(wanted) => Ok((without, true)),
        _ => Err(shared()),
    }
}

/// Where the secret's key begins, and where its value ends.
fn secret_span(config: &str) -> Option<std::ops::Range<usize>> {
    let document = toml::de::DeTable::parse(config).ok()?;
    let (_, notify) = document.get_ref().iter().find(|(name, _)| name.get_ref() == "notify")?;
    let toml::de::DeValue::Table(table) = notify.get_ref() else { return None };
    let (key, value) = table.iter().find(|(name, _)| name.get_ref() == "secret")?;
    Some(key.span().start..value.span().end)
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: 127
    #[test]
    fn a_record_is_read_field_by_field_and_keeps_those_of_others() {
        let (record, left) = TemplateRecord::parse(
            br#"{"name":"port","tags":["a",1,"b"],"estimatedIterations":"many","mode":"iterative","author":"Ada",
                 "maxIterations":7,"completionMarkers":["done"],"created":"yesterday","description":null}"#,
        )
        .unwrap();
        assert_eq!((record.name.as_str(), record.mode), ("port", Some(Mode::Iterative)));
        assert_eq!(record.tags, ["a", "b"]);
        assert_eq!((record.estimated_iterations, record.created, &record.description), (None, None, &None));
        assert_eq!(record.other.keys().collect::<Vec<_>>(), ["author", "maxIterations"]);
        assert_eq!(left.len(), 1);
        assert_eq!(TemplateRecord::parse(record.to_text().as_bytes()), Ok((record, Vec::new())));
        for wrong in ["", "[]", "{", "\u{0}"] {
            assert!(TemplateRecord::parse(wrong.as_bytes()).is_err(), "{wrong}");
        }
        assert_eq!(TemplateRecord::parse(b"{\"mode\":\"goal\"}").unwrap().0.mode, None);
    }

    #[test]
    fn a_secret_goes_and_nothing_else() {
        for (before, after) in [
            (
                "[notify]\nurl = \"x\" # mine\nsecret = \"s\" # not for others\n\n[log]\nkeep = 3\n",
                "[notify]\nurl = \"x\" # mine\n\n[log]\nkeep = 3\n",
            ),
            ("notify.secret = \"s\"\nnotify.url = \"x\"\n", "notify.url = \"x\"\n"),
            ("[notify]\nsecret = '''\na\nb'''", "[notify]\n"),
            ("[notify]\r\n\"secret\" = \"s\"\r\nurl = \"x\"\r\n", "[notify]\r\nurl = \"x\"\r\n"),
        ] {
            assert_eq!(without_secret(before), Ok((after.to_owned(), true)), "{before}");
        }
        for same in ["", "# secret = \"x\"\n", "[notify]\nurl = \"secret = 1\"\n"] {
            assert_eq!(without_secret(same), Ok((same.to_owned(), false)));
        }
        for wrong in [
            "notify = { url = \"x\", secret = \"s\" }\n",
            "notify = {",
            "[notify]\nsecret = 's'\nsecret = 't'",
        ] {
            assert!(without_secret(wrong).is_err(), "{wrong}");
        }
    }
}
