//! One page: where it leads, what in it can be led to, and how much there is to read.

use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// A link or a picture.
#[derive(Debug, PartialEq, Eq)]
pub struct Link {
    /// Where it is in the page's text, all of it.
    pub range: Range<usize>,
    /// As it is written.
    pub to: String,
}

/// What a page's text holds.
#[derive(Debug, Default)]
pub struct Page {
    pub links: Vec<Link>,
    /// What may stand behind `#` in a link to it.
    pub anchors: Vec<String>,
    /// What a reader reads, commands included.
    pub words: usize,
}

impl Page {
    /// Reads a page.
    pub fn read(text: &str) -> Page {
        let mut page = Page::default();
        let mut heading: Option<String> = None;
        for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.links.push(Link { range, to: dest_url.into_string() });
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => {
                    page.anchors.extend(heading.take().map(|title| anchor(&title)));
                }
                Event::Text(said) | Event::Code(said) => {
                    page.words += said.split_whitespace().filter(|word| is_word(word)).count();
                    if let Some(title) = &mut heading {
                        title.push_str(&said);
                    }
                }
                _ => {}
            }
        }
        page
    }
}

fn is_word(word: &str) -> bool {
    word.contains(char::is_alphanumeric)
}

/// As forges and mdBook make it of a heading.
fn anchor(title: &str) -> String {
    let kept = title.trim().chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

impl Link {
    /// The path from the root that it leads to from `page`, and the anchor there; `None` where it leaves the project.
    pub fn target(&self, page: &Path) -> Option<(PathBuf, Option<&str>)> {
        if self.to.contains("://") || self.to.starts_with("mailto:") {
            return None;
        }
        let (path, anchor) =
            self.to.split_once('#').map_or((&*self.to, None), |(path, anchor)| (path, Some(anchor)));
        if path.is_empty() {
            return Some((page.to_owned(), anchor));
        }
        let folder = page.parent().unwrap_or(Path::new(""));
        Some((without_detours(&folder.join(path)), anchor))
    }
}

fn without_detours(path: &Path) -> PathBuf {
    let mut straight = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                straight.pop();
            }
            Component::CurDir => {}
            other => straight.push(other),
        }
    }
    straight
}

/// How `to` is written in a link of `page`; both from the same root.
pub fn relative(page: &Path, to: &Path) -> String {
    let folder: Vec<Component<'_>> = page.parent().unwrap_or(Path::new("")).components().collect();
    let target: Vec<Component<'_>> = to.components().collect();
    let shared = folder.iter().zip(&target).take_while(|(one, other)| one == other).count();
    let mut path: PathBuf = folder[shared..].iter().map(|_| Component::ParentDir).collect();
    path.extend(&target[shared..]);
    path.display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_says_where_it_leads_what_it_has_and_how_much() {
        let text = "# `a` & b-c: *d*\n\n[x](../y.md#z) and ![p](q.svg), `[no](no.md)`\n\n| a | b |\n|---|---|\n| 1 | – |\n";
        let page = Page::read(text);
        assert_eq!(page.anchors, ["a--b-c-d"]);
        let to: Vec<&str> = page.links.iter().map(|link| &*link.to).collect();
        assert_eq!(to, ["../y.md#z", "q.svg"]);
        assert_eq!(page.words, 3 + 4 + 3);
        let target = page.links[0].target(Path::new("docs/guides/a.md"));
        assert_eq!(target, Some((PathBuf::from("docs/y.md"), Some("z"))));
        assert_eq!(
            Link { range: 0..0, to: "https://example.org/a".to_owned() }.target(Path::new("a.md")),
            None
        );
    }

    #[test]
    fn links_are_written_from_their_page() {
        for (page, to, link) in [
            ("README.md", "safety.md", "safety.md"),
            ("guides/a.md", "safety.md", "../safety.md"),
            ("guides/a.md", "guides/b.md", "b.md"),
            ("guides/a.md", "recipes/b.md", "../recipes/b.md"),
        ] {
            assert_eq!(relative(Path::new(page), Path::new(to)), link);
        }
    }
}
