//! What agents say of their version and login.

use windlass_agents::AGENTS;

pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for agent in AGENTS {
        if let Ok(version) = agent.version(&text) {
            let printed = format!("{version} ({})\n", agent.about().product);
            assert_eq!(agent.version(&printed).as_ref(), Ok(&version));
            assert_eq!(agent.version(&format!("a notice\n{text}")), Ok(version));
        }
        if let Some(login) = agent.login(&text) {
            assert!(text.contains(if login.logged_in { "true" } else { "false" }));
            assert_eq!(agent.login(&format!("a notice\n{text}\nanother")).as_ref(), Some(&login));
        }
    }
}
