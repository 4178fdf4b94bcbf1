//! Paths in JSON: a string where the path is UTF-8, else its bytes as numbers, so that every path comes back as it was.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// For `#[serde(with = "…")]` on a [`PathBuf`].
pub fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    match path.to_str() {
        Some(text) => text.serialize(serializer),
        None => path.as_os_str().as_bytes().serialize(serializer),
    }
}

/// For `#[serde(with = "…")]` on a [`PathBuf`].
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
    /// Both shapes.
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Shape {
        Text(String),
        Bytes(Vec<u8>),
    }
    Ok(match Shape::deserialize(deserializer)? {
        Shape::Text(text) => PathBuf::from(text),
        Shape::Bytes(bytes) => PathBuf::from(OsString::from_vec(bytes)),
    })
}

/// For `#[serde(with = "…")]` on several paths.
pub mod list {
    use super::{Deserialize, Deserializer, PathBuf, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    #[serde(transparent)]
    struct One(#[serde(with = "super")] PathBuf);

    /// For `#[serde(with = "…")]`.
    pub fn serialize<S: Serializer>(paths: &[PathBuf], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(paths.iter().map(|path| One(path.clone())))
    }

    /// For `#[serde(with = "…")]`.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<PathBuf>, D::Error> {
        let paths = Vec::<One>::deserialize(deserializer)?;
        Ok(paths.into_iter().map(|One(path)| path).collect())
    }
}

/// For `#[serde(with = "…")]` on paths with something said about each.
pub mod keyed {
    use super::{Deserialize, Deserializer, PathBuf, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    struct Pair(#[serde(with = "super")] PathBuf, String);

    /// For `#[serde(with = "…")]`.
    pub fn serialize<S: Serializer>(pairs: &[(PathBuf, String)], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(pairs.iter().map(|(path, text)| Pair(path.clone(), text.clone())))
    }

    /// For `#[serde(with = "…")]`.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<(PathBuf, String)>, D::Error> {
        let pairs = Vec::<Pair>::deserialize(deserializer)?;
        Ok(pairs.into_iter().map(|Pair(path, text)| (path, text)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Both {
        #[serde(with = "super")]
        path: PathBuf,
        #[serde(with = "super::keyed")]
        inputs: Vec<(PathBuf, String)>,
    }

    fn both(bytes: &[u8]) -> Both {
        let path = PathBuf::from(OsString::from_vec(bytes.to_vec()));
        Both { inputs: vec![(path.clone(), "digest".to_owned())], path }
    }

    #[test]
    fn every_path_comes_back() {
        for bytes in [&b""[..], b"/a b", b"/a\nb", "/🪝".as_bytes(), b"/\xff", b"\0\x80"] {
            let text = serde_json::to_string(&both(bytes)).unwrap();
            assert_eq!(serde_json::from_str::<Both>(&text).unwrap(), both(bytes), "{text}");
        }
    }

    #[test]
    fn text_stays_text() {
        let text = serde_json::to_string(&both("/a 🪝".as_bytes())).unwrap();
        assert_eq!(text, r#"{"path":"/a 🪝","inputs":[["/a 🪝","digest"]]}"#);
    }
}
