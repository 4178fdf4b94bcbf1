//! The specs that a plan may name.

use std::collections::{HashMap, HashSet};

use windlass_core::typed::nearest;

use crate::doc::tasks::sources::reference;
use crate::doc::text::base_name;

/// The names of all specs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpecNames {
    folder: String,
    names: Vec<String>,
    known: HashMap<String, usize>,
    /// Documents of the project that are no specs, and may be named all the same.
    others: HashSet<String>,
}

impl SpecNames {
    /// The specs of a folder: the folder as people name it (`specs`), and each spec's path in it (`auth.md`,
    /// `api/users.md`).
    pub fn new(folder: &str, names: Vec<String>) -> SpecNames {
        let known = names.iter().enumerate().map(|(index, name)| (name.to_lowercase(), index)).collect();
        SpecNames { folder: folder.trim_end_matches('/').to_owned(), names, known, others: HashSet::new() }
    }

    /// The same with documents that lie in the project's own folder, such as `CLAUDE.md`.
    pub fn with_others(self, others: impl IntoIterator<Item = String>) -> SpecNames {
        SpecNames { others: others.into_iter().map(|name| name.to_lowercase()).collect(), ..self }
    }

    /// Does a reference name a document of the project that is no spec?
    pub fn is_other(&self, reference: &str) -> bool {
        let bare = reference::spec(reference).to_lowercase();
        self.others.contains(bare.trim_start_matches("./"))
    }

    /// Is there no spec? The folder's own `README.md` is an index, and none.
    pub fn is_empty(&self) -> bool {
        self.names.iter().all(|name| is_index(name))
    }

    /// The folder, as it was named.
    pub fn folder(&self) -> &str {
        &self.folder
    }

    /// All of them, in the order given.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The spec that a reference of a plan names: its index. The folder, `./`, `../`, the ending `.md` and a section
    /// (`#login`) may be there or not.
    pub fn find(&self, reference: &str) -> Option<usize> {
        let name = self.within(reference);
        self.known.get(&name).or_else(|| self.known.get(&format!("{name}.md"))).copied()
    }

    /// Does a reference mean a spec, known or not? One to a source file does not.
    pub fn is_meant(&self, reference: &str) -> bool {
        let bare = reference::spec(reference).to_lowercase();
        let extension = base_name(&bare).rsplit_once('.').map(|(_, extension)| extension);
        extension == Some("md") || (extension.is_none() && bare.contains(&self.prefix()))
    }

    /// The known name that is nearest to what a reference says, with the folder.
    pub fn nearest(&self, reference: &str) -> Option<String> {
        let name = self.within(reference);
        let found = nearest(&name, self.names.iter().take(1000).map(String::as_str))?;
        Some(format!("{}{found}", self.prefix()))
    }

    fn prefix(&self) -> String {
        if self.folder.is_empty() { String::new() } else { format!("{}/", self.folder) }
    }

    /// Relative to the folder, in lower case.
    fn within(&self, reference: &str) -> String {
        self.path_within(reference).to_lowercase()
    }

    /// The spec that a reference means, known or not, relative to the folder.
    pub(super) fn path_within<'r>(&self, reference: &'r str) -> &'r str {
        let mut rest = reference::spec(reference);
        while let Some(shorter) = rest.strip_prefix("./").or_else(|| rest.strip_prefix("../")) {
            rest = shorter;
        }
        let rest = rest.trim_start_matches('/');
        let last = format!("{}/", base_name(&self.folder));
        let within = |prefix: &str| {
            let (before, after) = rest.split_at_checked(prefix.len())?;
            (!prefix.is_empty() && before.eq_ignore_ascii_case(prefix)).then_some(after)
        };
        within(&self.prefix()).or_else(|| within(&last)).unwrap_or(rest)
    }
}

impl SpecNames {
    /// A reference to one of them, as an example.
    pub(super) fn example(&self) -> String {
        let name = self.names.iter().find(|name| !is_index(name)).map_or("NAME.md", String::as_str);
        format!("{}{name}", self.prefix())
    }
}

/// The `README.md` of the folder.
pub(super) fn is_index(name: &str) -> bool {
    name.eq_ignore_ascii_case("README.md")
}
