//! What a repository's files start, and what of it is trusted.

use serde::Serialize;
use windlass_core::trust::{Content, Difference, Startable, Startables, differences};

use crate::document::document;
use crate::harmless::one_line;
use crate::line::{Line, Mark, Tone};

/// Things to be trusted, one by one, of all that there are, with what each was when it was trusted.
pub fn startable_lines(asked: &Startables, all: &Startables, trusted: &Startables) -> Vec<Line> {
    let is_asked = |item: &Startable| asked.iter().any(|one| one == item);
    let mut lines = Vec::new();
    for difference in differences(all, trusted) {
        match &difference {
            Difference::Added(item) if is_asked(item) => lines.push(row("+", item)),
            Difference::Changed { now, before } if is_asked(now) => {
                lines.push(row("~", now));
                lines.push(Line::hanging(4).dim(format!("    it was {}", was(before))));
            }
            _ => {}
        }
    }
    lines
}

/// All of them, each with whether it is trusted, and what names them.
pub fn trust_lines(items: &Startables, trusted: &Startables) -> Vec<Line> {
    let pending = items.beyond(trusted);
    let mut lines = Vec::new();
    for item in items.iter() {
        let is_pending = pending.iter().any(|one| one == item);
        let (tone, mark) = if is_pending { (Tone::Warn, Mark::Notice) } else { (Tone::Good, Mark::Passed) };
        lines.push(about(Line::hanging(4).mark(tone, mark).plain(" "), item));
    }
    lines.extend(removed_lines(items, trusted));
    lines.push(Line::new().dim("its name  ").plain(items.hash().to_string()));
    if !pending.is_empty() {
        lines.push(Line::new().dim("trust it  ").command("windlass trust"));
    }
    lines
}

/// What was trusted and is not there any more, where these are all that there are.
pub fn removed_lines(items: &Startables, trusted: &Startables) -> Vec<Line> {
    let line = |difference| match difference {
        Difference::Removed(item) => Some(row("-", &item).dim("  (gone)")),
        Difference::Added(_) | Difference::Changed { .. } => None,
    };
    differences(items, trusted).into_iter().filter_map(line).collect()
}

/// The same as one line of JSON.
pub fn trust_json(items: &Startables, trusted: &Startables) -> Vec<u8> {
    #[derive(Serialize)]
    struct Row<'a> {
        #[serde(flatten)]
        item: &'a Startable,
        trusted: bool,
    }
    #[derive(Serialize)]
    struct Fields<'a> {
        hash: String,
        items: Vec<Row<'a>>,
    }
    let pending = items.beyond(trusted);
    let is_trusted = |item: &Startable| !pending.iter().any(|one| one == item);
    let rows = items.iter().map(|item| Row { item, trusted: is_trusted(item) }).collect();
    let hash = items.hash().to_string();
    document("trust", &Fields { hash, items: rows })
}

fn row(sign: &str, item: &Startable) -> Line {
    about(Line::hanging(4).plain(format!("  {sign} ")), item)
}

fn about(line: Line, item: &Startable) -> Line {
    let place = format!("  ({} in {})", one_line(&item.key), one_line(&item.file));
    line.strong(one_line(&item.shown())).dim(place)
}

fn was(before: &Startable) -> String {
    match &before.content {
        Content::Text { .. } => one_line(&before.shown()),
        Content::File { .. } => "another content when it was trusted".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use windlass_core::trust::Starter;

    use super::*;
    use crate::terminal::Terminal;

    fn text(key: &str, text: &str) -> Startable {
        Startable::text(Starter::Windlass, ".windlass/config.toml", key, text)
    }

    fn script(digest: &str) -> Startable {
        Startable::file(Starter::Windlass, ".windlass/config.toml", "gates.commands", "check.sh", digest)
    }

    fn plain(lines: &[Line]) -> Vec<String> {
        lines.iter().map(|line| line.render(&Terminal::plain())).collect()
    }

    #[test]
    fn what_is_new_is_told_from_what_was_changed() {
        let trusted = [text("hooks.started", "make"), script("1"), text("gates.until", "old")];
        let trusted: Startables = trusted.into_iter().collect();
        let now = [text("hooks.started", "curl x\x1b[2J"), script("2"), text("notify.command", "say")];
        let now: Startables = now.into_iter().collect();
        let said = plain(&startable_lines(&now.beyond(&trusted), &now, &trusted));
        assert_eq!(said.len(), 5, "{said:?}");
        assert!(
            said[0].contains("~ the file check.sh  (gates.commands in .windlass/config.toml)"),
            "{said:?}"
        );
        assert!(said[1].contains("it was another content"), "{said:?}");
        assert!(said[2].starts_with("  ~ curl x") && !said[2].contains('\x1b'), "{said:?}");
        assert!(said[3].ends_with("it was make"), "{said:?}");
        assert!(said[4].starts_with("  + say"), "{said:?}");
        let all = plain(&trust_lines(&now, &trusted)).join("\n");
        assert!(all.contains("old") && all.contains("(gone)"), "{all}");
        crate::view::check_document("trust", &trust_json(&now, &trusted));
        let document: serde_json::Value = serde_json::from_slice(&trust_json(&now, &trusted)).unwrap();
        assert_eq!(document["hash"].as_str().unwrap(), now.hash().to_string());
        assert_eq!(document["items"][0]["trusted"], false);
    }
}
