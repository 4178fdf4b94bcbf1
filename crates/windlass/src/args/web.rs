//! `web`.

use clap::Args;

/// What can be said to `windlass web`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The page shows all runs of this machine. It is a process of its own: it ends with
Ctrl-C, and no run notices. The link that it prints lets one browser in, once,
within ten minutes; that browser is known for thirty days.

Examples:
  windlass web
      Looks, and stops runs after their iterations.
  windlass web --actions
      Also resumes, raises limits, restores: what spends money or changes files.
  windlass web --link
      Another link to the page that is served, for another browser.")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag that people give or not")]
pub struct WebArgs {
    /// Serve here; beyond this machine only behind something that encrypts
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8417")]
    pub listen: std::net::SocketAddr,
    /// A name by which browsers reach it, beside addresses and localhost
    #[arg(long = "name", value_name = "NAME")]
    pub names: Vec<String>,
    /// Also do what spends money or changes files: resume, raise limits, restore, allow
    #[arg(long, conflicts_with = "read_only")]
    pub actions: bool,
    /// Do nothing but show
    #[arg(long)]
    pub read_only: bool,
    /// Print another link to the page that is served, and exit
    #[arg(long, conflicts_with_all = ["metrics_token", "forget", "actions", "read_only", "names", "listen"])]
    pub link: bool,
    /// Print a new token that reads /metrics and nothing else, and exit
    #[arg(long, conflicts_with_all = ["forget", "actions", "read_only", "names", "listen"])]
    pub metrics_token: bool,
    /// Forget every browser and token that was let in, and exit
    #[arg(long, conflicts_with_all = ["actions", "read_only", "names", "listen"])]
    pub forget: bool,
}
