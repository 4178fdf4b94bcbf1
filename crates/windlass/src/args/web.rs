//! `web`.

use std::net::SocketAddr;

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
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8417", value_parser = address)]
    pub listen: SocketAddr,
    /// A name by which browsers reach it, beside addresses and localhost
    #[arg(long = "name", value_name = "NAME", value_parser = name)]
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

/// An address of this machine and a port.
fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        let port = text.rsplit(':').next().and_then(|port| port.parse::<u16>().ok());
        format!("it is an address and a port, such as 127.0.0.1:{}", port.unwrap_or(8417))
    })
}

/// A name as it stands in an address of the page, and nothing of what stands around it there.
fn name(text: &str) -> Result<String, String> {
    let is_of_a_name = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    if !text.is_empty() && text.chars().all(is_of_a_name) {
        Ok(text.to_owned())
    } else {
        Err("it is a name alone, without http:// and without a port, such as desk.tailnet.ts.net".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_names_are_read_or_said_how_they_are_written() {
        assert_eq!(address("[::1]:0").unwrap().port(), 0);
        for (text, example) in
            [("localhost:8600", "127.0.0.1:8600"), ("8517", "127.0.0.1:8517"), ("here", "127.0.0.1:8417")]
        {
            assert!(address(text).unwrap_err().ends_with(example), "{text}");
        }
        assert_eq!(name("Desk.tail1.ts.net").unwrap(), "Desk.tail1.ts.net");
        for text in ["", "http://x", "x:443", "x/y", "x y", "[::1]"] {
            assert!(name(text).is_err(), "{text}");
        }
    }
}
