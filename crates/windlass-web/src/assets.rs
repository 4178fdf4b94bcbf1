//! The files that pages name: a style, a script without a build step, an icon. Their addresses hold a digest of their content.

use std::sync::LazyLock;

use windlass_host::file::digest;

/// A file, by its name, type and content.
#[derive(Debug)]
pub struct Asset {
    name: &'static str,
    kind: &'static str,
    /// One after another.
    content: [&'static str; 2],
}

/// The style: that of charts and tables, then the page's own.
pub const STYLE: &Asset = &Asset {
    name: "page.css",
    kind: "text/css; charset=utf-8",
    content: [windlass_html::STYLE, include_str!("assets/page.css")],
};

/// The script.
pub const SCRIPT: &Asset = &Asset {
    name: "page.js",
    kind: "text/javascript; charset=utf-8",
    content: [include_str!("assets/page.js"), ""],
};

/// The icon.
pub const ICON: &Asset =
    &Asset { name: "icon.svg", kind: "image/svg+xml", content: [include_str!("assets/icon.svg"), ""] };

static ALL: LazyLock<Vec<(String, &'static Asset)>> = LazyLock::new(|| {
    let addressed = |asset: &'static Asset| {
        let digest = digest(asset.content.concat().as_bytes());
        (format!("{}-{}", digest.get(..12).unwrap_or_default(), asset.name), asset)
    };
    [STYLE, SCRIPT, ICON].into_iter().map(addressed).collect()
});

/// Where it is.
pub fn address(asset: &Asset) -> String {
    let found = ALL.iter().find(|(_, known)| known.name == asset.name);
    format!("/assets/{}", found.map(|(name, _)| name.as_str()).unwrap_or_default())
}

/// The type and content of a file.
pub fn find(name: &str) -> Option<(&'static str, String)> {
    ALL.iter().find(|(known, _)| known == name).map(|(_, asset)| (asset.kind, asset.content.concat()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_is_small_and_writes_no_markup_of_its_own() {
        let script = SCRIPT.content.concat();
        assert!(script.len() <= 15_000, "{} bytes", script.len());
        for word in ["eval(", "new Function", "document.write", "http:", "https:"] {
            assert!(!script.contains(word), "{word}");
        }
    }

    #[test]
    fn a_file_is_found_by_its_address_alone() {
        let name = address(SCRIPT);
        assert!(find(name.strip_prefix("/assets/").unwrap()).is_some());
        for other in ["page.js", "", "../Cargo.toml"] {
            assert!(find(other).is_none(), "{other}");
        }
    }
}
