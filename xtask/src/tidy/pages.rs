//! The pages for people: each link leads somewhere, each page is listed, and the README is short.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Complaint;
use crate::docs::page::Page;
use crate::docs::{AT_ROOT, pages};
use crate::program::Failure;
use crate::workspace::Workspace;

const README: &str = "README.md";
const SUMMARY: &str = "docs/SUMMARY.md";

/// So many words somebody reads before trying.
const LONGEST_README: usize = 700;

/// Checks them all.
pub fn check(workspace: &Workspace) -> Result<Vec<Complaint>, Failure> {
    let mut read = BTreeMap::new();
    for file in AT_ROOT.iter().map(|(file, _)| PathBuf::from(file)).chain(pages(workspace)?) {
        let text = workspace.read(&file)?;
        read.insert(file, (Page::read(&text), text));
    }
    let exists = |path: &Path| workspace.root.join(path).exists();
    let mut complaints = check_links(&read, exists);
    complaints.extend(check_summary(&read));
    complaints.extend(read.get(Path::new(README)).and_then(|(page, _)| check_length(page)));
    Ok(complaints)
}

type Pages = BTreeMap<PathBuf, (Page, String)>;

fn check_links(read: &Pages, exists: impl Fn(&Path) -> bool) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (file, (page, text)) in read {
        for link in &page.links {
            let Some((target, anchor)) = link.target(file) else { continue };
            let there = read.get(&target).is_none_or(|(there, _)| {
                anchor.is_none_or(|anchor| there.anchors.iter().any(|known| known == anchor))
            });
            let problem = if !exists(&target) {
                format!("leads to {}, which is not there", target.display())
            } else if !there {
                format!("`{}` leads to no heading", link.to)
            } else {
                continue;
            };
            let line = text[..link.range.start].matches('\n').count() + 1;
            complaints.push(Complaint::at(file, line, problem));
        }
    }
    complaints
}

fn check_summary(read: &Pages) -> Vec<Complaint> {
    let summary = Path::new(SUMMARY);
    let Some((listing, _)) = read.get(summary) else { return vec![Complaint::of(summary, "it is missing")] };
    let listed: Vec<PathBuf> =
        listing.links.iter().filter_map(|link| Some(link.target(summary)?.0)).collect();
    let missing = read.keys().filter(|page| *page != summary && !listed.contains(page));
    missing.map(|page| Complaint::of(page, format!("{SUMMARY} does not list it"))).collect()
}

fn check_length(readme: &Page) -> Option<Complaint> {
    (readme.words > LONGEST_README).then(|| {
        Complaint::of(Path::new(README), format!("{} words, {LONGEST_README} are the most", readme.words))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pages: &[(&str, &str)]) -> Pages {
        let page = |&(name, text): &(&str, &str)| (PathBuf::from(name), (Page::read(text), text.to_owned()));
        pages.iter().map(page).collect()
    }

    #[test]
    fn a_link_leads_to_a_file_and_to_a_heading_of_it() {
        let pages = read(&[
            (
                "README.md",
                "# R\n\n[a](docs/a.md#b-c) [x](docs/x.md)\n[a](docs/a.md#d) [w](https://example.org)",
            ),
            ("docs/a.md", "# B C\n\n[r](../README.md#r) [own](#b-c) [s](s.json)"),
        ]);
        let complaints = check_links(&pages, |path| !path.ends_with("x.md"));
        let said: Vec<_> = complaints.iter().map(|one| (one.line, &*one.problem)).collect();
        assert_eq!(
            said,
            [
                (Some(3), "leads to docs/x.md, which is not there"),
                (Some(4), "`docs/a.md#d` leads to no heading")
            ]
        );
    }

    #[test]
    fn each_page_is_listed() {
        let pages = read(&[("README.md", ""), ("docs/SUMMARY.md", "[r](../README.md)"), ("docs/a.md", "")]);
        let files: Vec<_> = check_summary(&pages).into_iter().map(|complaint| complaint.file).collect();
        assert_eq!(files, [Path::new("docs/a.md")]);
    }

    #[test]
    fn a_readme_has_an_end() {
        assert_eq!(check_length(&Page::read(&"word ".repeat(LONGEST_README))), None);
        assert!(check_length(&Page::read(&"word ".repeat(LONGEST_README + 1))).is_some());
    }
}
