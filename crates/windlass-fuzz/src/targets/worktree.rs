//! What is known of a worktree: files that whoever works in it can write.

use windlass_engine::testing::{copied_files, worktree_mark};
use windlass_engine::worktree::WorktreeName;

pub(crate) fn run(data: &[u8]) {
    let written = copied_files(data);
    assert_eq!(copied_files(&written), written, "written and read");
    if let Some((written, variables)) = worktree_mark(data) {
        assert_eq!(worktree_mark(&written), Some((written.clone(), variables)), "written and read");
        assert!(variables == 1 || variables == 3, "ports are said whole or not at all");
    }
    if let Ok(name) = WorktreeName::parse(&String::from_utf8_lossy(data)) {
        let branch = name.full_branch();
        assert!(branch.starts_with("refs/heads/windlass/") && !branch.contains(".."), "{branch}");
        assert_eq!(branch.matches('/').count(), 3, "{branch}");
    }
}
