//! Which settings of git start programs or lead it elsewhere.

/// Whole sections.
const SECTIONS: [&str; 10] = [
    "include",
    "includeif",
    "extensions",
    "filter",
    "credential",
    "gpg",
    "uploadpack",
    "protocol",
    "url",
    "sequence",
];

/// Single names.
const NAMES: [&str; 12] = [
    "core.fsmonitor",
    "core.hookspath",
    "core.sshcommand",
    "core.worktree",
    "core.gitproxy",
    "core.editor",
    "core.pager",
    "core.askpass",
    "core.attributesfile",
    "core.excludesfile",
    "core.alternaterefscommand",
    "interactive.difffilter",
];

/// The last part of a name, in a section that has others as well.
const LAST_PARTS: [(&str, &[&str]); 6] = [
    ("diff", &["external", "command", "textconv"]),
    ("merge", &["driver"]),
    ("commit", &["gpgsign", "template"]),
    ("remote", &["uploadpack", "receivepack", "vcs", "proxy", "promisor"]),
    ("lfs", &["clean", "smudge", "path", "standalonetransferagent"]),
    ("trailer", &["command", "cmd"]),
];

/// The lines of a configuration file that start programs or lead git elsewhere, each with its section. A line that goes on in
/// the next one counts, whatever it says.
pub fn steering_lines(configuration: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(configuration);
    let (mut section, mut found) = (String::new(), Vec::new());
    for line in text.split(['\n', '\r']) {
        let mut rest = line.trim_start_matches('\u{feff}').trim();
        // What follows a heading on its line is in its section.
        while rest.starts_with('[') {
            let end = rest.find(']').map_or(rest.len(), |end| end + 1);
            let (heading, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
            let name = heading.trim_matches(['[', ']', ' ', '\t']);
            section = name.split([' ', '\t', '"', '.']).next().unwrap_or_default().to_ascii_lowercase();
            rest = after.trim();
        }
        let name = rest.split(['=', ' ', '\t', '#', ';']).next().unwrap_or_default().to_ascii_lowercase();
        if steers(&section, &name) || rest.ends_with('\\') {
            found.push(format!("{section}.{rest}"));
        }
    }
    found
}

fn steers(section: &str, name: &str) -> bool {
    let full = format!("{section}.{name}");
    !name.is_empty()
        && (SECTIONS.contains(&section)
            || NAMES.contains(&full.as_str())
            || LAST_PARTS.iter().any(|(of, names)| *of == section && names.contains(&name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_starts_programs_or_leads_elsewhere_is_found_however_it_is_written() {
        for text in [
            "[core]\n\tfsmonitor = x\n",
            "[CORE] HooksPath=x",
            "[core]\nsshCommand=x",
            "[include]\n\tpath = x",
            "[includeIf \"gitdir:/\"]\n\tpath = x",
            "[extensions]\n\tworktreeConfig",
            "[filter \"a ] b\"]\n\tclean = x",
            "[filter.x]\n\tclean = x",
            "[diff \"x\"]\n\ttextconv = x",
            "[merge \"x\"]\n\tdriver = x",
            "[lfs \"extension.x\"]\n\tclean = x",
            "[remote \"x\"]\n\tpromisor = true",
            "[branch \"x\"]\n\tmerge = \\\n[core]\n",
            "\u{feff}[core]\r\n\tworktree = x",
        ] {
            // What stands behind a bracket in a name may be counted as a line of its own: rather one too many.
            assert!(!steering_lines(text.as_bytes()).is_empty(), "{text:?}");
        }
    }

    #[test]
    fn what_ordinary_work_writes_is_not() {
        let text = "[core]\n\tbare = false\n\tautocrlf = input\n[branch \"fsmonitor\"]\n\tremote = origin\n\
                    [remote \"origin\"]\n\turl = x\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n\
                    [user]\n\tname = x\n[submodule \"x\"]\n\tactive = true\n# fsmonitor = x\n";
        assert_eq!(steering_lines(text.as_bytes()), Vec::<String>::new());
    }
}
