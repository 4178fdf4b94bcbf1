//! A plan that became a folder, or a file again.

use windlass_core::values::Extent;

use crate::format;
use crate::harmless::one_line;
use crate::line::{Line, Mark, Tone, rendered, width};
use crate::narrate::labelled;
use crate::terminal::Terminal;

/// What was, or would be, migrated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MigrationShown {
    /// The plan before.
    pub from: String,
    /// The plan after.
    pub to: String,
    /// Where the former plan is kept.
    pub backup: String,
    /// Its tasks.
    pub tasks: u64,
    /// What is written, with the number of its tasks.
    pub files: Vec<(String, u64)>,
    /// Was it done?
    pub extent: Extent,
}

/// For people; every line ends with a newline.
pub fn migration_text(shown: &MigrationShown, terminal: &Terminal) -> String {
    let tasks = format!(", {}", format::count(shown.tasks, "task"));
    let headline = Line::hanging(2);
    let headline = match shown.extent {
        Extent::Act => headline.mark(Tone::Good, Mark::Passed).plain(" "),
        Extent::Look => headline.mark(Tone::Dim, Mark::Nothing).dim(" would become: "),
    };
    let mut lines = vec![
        headline
            .plain(one_line(&shown.from))
            .dim(" → ")
            .strong(one_line(&shown.to))
            .dim(format!("  {}{tasks}", format::count(shown.files.len() as u64, "file"))),
    ];
    let widest = shown.files.iter().map(|(name, _)| width(&one_line(name))).max().unwrap_or(0);
    for (name, tasks) in &shown.files {
        let name = one_line(name);
        let room = " ".repeat(widest.saturating_sub(width(&name)));
        lines.push(
            Line::new().plain(format!("  {name}{room}")).dim(format!("  {}", format::count(*tasks, "task"))),
        );
    }
    lines.push(Line::new());
    lines.push(labelled("backup").unbroken().plain(one_line(&shown.backup)));
    lines.push(match shown.extent {
        Extent::Act => labelled("next").unbroken().command("windlass verify --plan"),
        Extent::Look => labelled("next").plain("nothing was written: leave --dry-run out to do it"),
    });
    rendered(&lines, terminal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::columns;

    // rows: 96
    #[test]
    fn what_was_done_and_what_would_be() {
        let shown = MigrationShown {
            from: "IMPLEMENTATION_PLAN.md".to_owned(),
            to: "plan".to_owned(),
            backup: "IMPLEMENTATION_PLAN.md.backup".to_owned(),
            tasks: 9,
            files: vec![("plan/auth.md".to_owned(), 8), ("plan/README.md".to_owned(), 1)],
            extent: Extent::Act,
        };
        assert_eq!(
            migration_text(&shown, &columns(80)),
            "\
✓ IMPLEMENTATION_PLAN.md → plan  2 files, 9 tasks
  plan/auth.md    8 tasks
  plan/README.md  1 task

  backup      IMPLEMENTATION_PLAN.md.backup
  next        windlass verify --plan
"
        );
        let dry = migration_text(&MigrationShown { extent: Extent::Look, ..shown }, &columns(80));
        assert!(dry.starts_with("○ would become: IMPLEMENTATION_PLAN.md → plan"), "{dry}");
        assert!(dry.contains("nothing was written"), "{dry}");
    }
}
