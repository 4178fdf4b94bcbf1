//! Which settings of git start programs or lead it elsewhere: all but those that are known to do neither.

use super::settings::{Setting, settings_in};

/// Sections in which no setting does.
const HARMLESS: [&[u8]; 26] = [
    b"advice",
    b"am",
    b"apply",
    b"author",
    b"blame",
    b"branch",
    b"checkout",
    b"clean",
    b"color",
    b"column",
    b"committer",
    b"fetch",
    b"gui",
    b"i18n",
    b"index",
    b"log",
    b"notes",
    b"pull",
    b"push",
    b"rebase",
    b"rerere",
    b"stash",
    b"status",
    b"tag",
    b"user",
    b"worktree",
];

/// Keys that do neither, in sections that have others as well.
const HARMLESS_KEYS: [(&[u8], &[&[u8]]); 8] = [
    (
        b"core",
        &[
            b"abbrev",
            b"autocrlf",
            b"bare",
            b"bigfilethreshold",
            b"commentchar",
            b"commitgraph",
            b"compression",
            b"eol",
            b"filemode",
            b"ignorecase",
            b"logallrefupdates",
            b"longpaths",
            b"loosecompression",
            b"multipackindex",
            b"precomposeunicode",
            b"preloadindex",
            b"quotepath",
            b"repositoryformatversion",
            b"safecrlf",
            b"sharedrepository",
            b"sparsecheckout",
            b"sparsecheckoutcone",
            b"symlinks",
            b"untrackedcache",
            b"whitespace",
        ],
    ),
    (
        b"remote",
        &[
            b"url",
            b"pushurl",
            b"fetch",
            b"push",
            b"tagopt",
            b"prune",
            b"prunetags",
            b"skipdefaultupdate",
            b"skipfetchall",
            b"gh-resolved",
            b"glab-resolved",
        ],
    ),
    (b"submodule", &[b"url", b"active", b"branch", b"path", b"ignore", b"fetchrecursesubmodules"]),
    (
        b"diff",
        &[
            b"algorithm",
            b"colormoved",
            b"context",
            b"mnemonicprefix",
            b"noprefix",
            b"renamelimit",
            b"renames",
        ],
    ),
    (b"merge", &[b"conflictstyle", b"ff", b"name", b"renamelimit", b"renames", b"stat"]),
    (b"commit", &[b"cleanup", b"status", b"verbose"]),
    (b"gc", &[b"auto", b"autodetach", b"autopacklimit", b"pruneexpire", b"reflogexpire"]),
    (b"lfs", &[b"access", b"locksverify", b"repositoryformatversion"]),
];

/// The settings of a configuration file that may start programs or lead git elsewhere, in their order. A file that git refuses
/// is one such setting as a whole.
pub fn steering_settings(configuration: &[u8]) -> Vec<Setting> {
    let Some(mut found) = settings_in(configuration) else {
        return vec![Setting { name: Vec::new(), value: Some(configuration.to_vec()) }];
    };
    found.retain(|setting| !is_harmless(setting));
    found
}

fn is_harmless(setting: &Setting) -> bool {
    let (section, key) = (setting.section(), setting.key());
    HARMLESS.contains(&section)
        || HARMLESS_KEYS.iter().any(|(of, keys)| *of == section && keys.contains(&key))
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
            "[core]\n\tignoreStat",
            "[include]\n\tpath = x",
            "[includeIf \"gitdir:/\"]\n\tpath = x",
            "[extensions]\n\tworktreeConfig",
            "[filter \"a ] b\"]\n\tclean = x",
            "[filter.x]\n\tclean = x",
            "[diff \"x\"]\n\ttextconv = x",
            "[merge \"x\"]\n\tdriver = x",
            "[lfs \"extension.x\"]\n\tclean = x",
            "[remote \"x\"]\n\tpromisor = true",
            "[remote \"x\"]\n\tuploadPack = x",
            "[submodule \"x\"]\n\tupdate = !x",
            "[hook \"x\"]\n\tevent = pre-commit\n\tcommand = x",
            "[alias]\n\tst = !x",
            "[gc]\n\trecentObjectsHook = x",
            "[http]\n\tproxy = x",
            "[whatever]\n\tcomes = next",
            "\u{feff}[core]\r\n\tworktree = x",
            // A return alone ends no line for git, and the bracket behind it opens no section.
            "[core]\n\tabbrev = 9\r[branch \"x\"]\n\tfsmonitor = x\n",
            "[core]\n\tbare = \"no\nt git's\"\n",
        ] {
            assert!(!steering_settings(text.as_bytes()).is_empty(), "{text:?}");
        }
    }

    #[test]
    fn what_ordinary_work_writes_is_not() {
        let text = "[core]\n\tbare = false\n\tautocrlf = input\n[branch \"fsmonitor\"]\n\tremote = origin\n\tmerge = \\\nx\n\
                    [remote \"origin\"]\n\turl = x\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n\
                    [user]\n\tname = x\n[submodule \"x\"]\n\tactive = true\n\turl = x\n# fsmonitor = x\n\
                    [branch \"a\\\"]\\\\\"]\n\tmerge = [core] fsmonitor\n";
        assert_eq!(steering_settings(text.as_bytes()), []);
    }
}
