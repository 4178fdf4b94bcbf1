//! The terminal view at a real terminal: tmux, asked what stands there.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use super::stage::Stage;
use crate::program::{Failure, output_of};

/// Longer than any screen takes.
const PATIENCE: Duration = Duration::from_secs(30);

/// What one column and one row take, in the units of the picture.
const COLUMN: f64 = 8.4;
const ROW: f64 = 19.0;

/// So many were opened.
static OPENED: AtomicU32 = AtomicU32::new(0);

/// A terminal with a view in it.
pub struct Terminal {
    socket: PathBuf,
    size: (u16, u16),
}

impl Terminal {
    /// Opens one of this size, in which a view is started.
    pub fn open(
        stage: &Stage,
        size: (u16, u16),
        arguments: &str,
        environment: &str,
    ) -> Result<Terminal, Failure> {
        // Each has a server of its own: one that is ending takes nobody any more.
        let number = OPENED.fetch_add(1, Ordering::Relaxed);
        let terminal = Terminal { socket: stage.folder().join(format!("tmux-{number}")), size };
        let program = stage.windlass("parser");
        let variables = program.get_envs().filter_map(|(name, value)| {
            Some(format!("{}='{}'", name.to_string_lossy(), value?.to_string_lossy()))
        });
        let variables: Vec<String> = variables.collect();
        let command = format!(
            "cd '{}' && exec env -i TERM=tmux-256color {} {environment} '{}' watch {arguments}",
            stage.folder().join("parser").display(),
            variables.join(" "),
            program.get_program().display()
        );
        let (columns, rows) = (size.0.to_string(), size.1.to_string());
        let mut tmux = terminal.tmux();
        tmux.args(["-f", "/dev/null", "new-session", "-d", "-x", &columns, "-y", &rows, &command]);
        quietly(tmux.args([";", "set", "-g", "status", "off"]))?;
        Ok(terminal)
    }

    fn tmux(&self) -> Command {
        let mut tmux = Command::new("tmux");
        tmux.arg("-S").arg(&self.socket).env("LANG", "C.UTF-8");
        tmux
    }

    /// Presses keys, as tmux names them.
    pub fn press(&self, keys: &[&str]) -> Result<(), Failure> {
        for key in keys {
            quietly(self.tmux().args(["send-keys", key]))?;
            std::thread::sleep(Duration::from_millis(200));
        }
        Ok(())
    }

    /// What stands there, colours included, once this does.
    pub fn once(&self, text: &str) -> Result<String, Failure> {
        let began = Instant::now();
        loop {
            std::thread::sleep(Duration::from_millis(150));
            let shown = output_of(self.tmux().args(["capture-pane", "-p"]))?;
            if !shown.trim().is_empty() && shown.contains(text) {
                std::thread::sleep(Duration::from_millis(400));
                return output_of(self.tmux().args(["capture-pane", "-e", "-p", "-N"]));
            }
            if began.elapsed() > PATIENCE {
                return Err(Failure(format!("{text:?} never stood there:\n{shown}")));
            }
        }
    }

    /// The same as a picture.
    pub fn picture(&self, name: &str, shown: &str) -> String {
        picture(name, self.size, shown)
    }
}

fn quietly(command: &mut Command) -> Result<(), Failure> {
    output_of(command).map(drop)
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.tmux().arg("kill-server").status();
    }
}

/// How letters look.
#[derive(Clone, Default, PartialEq, Eq)]
struct Style {
    bold: bool,
    dim: bool,
    reverse: bool,
    colour: Option<u8>,
}

impl Style {
    fn take(&mut self, codes: &str) {
        let mut codes = codes.split(';').map(|code| code.parse().unwrap_or(0));
        while let Some(code) = codes.next() {
            match code {
                0 => *self = Style::default(),
                1 => self.bold = true,
                2 => self.dim = true,
                7 => self.reverse = true,
                22 => (self.bold, self.dim) = (false, false),
                27 => self.reverse = false,
                39 => self.colour = None,
                code @ (30..=37 | 90..=97) => self.colour = Some(code),
                // One of 256: the first sixteen are those.
                38 => {
                    self.colour = match (codes.next(), codes.next()) {
                        (Some(5), Some(colour @ 0..=7)) => Some(30 + colour),
                        (Some(5), Some(colour @ 8..=15)) => Some(82 + colour),
                        _ => None,
                    };
                }
                _ => {}
            }
        }
    }

    fn class(&self) -> &'static str {
        match (self.reverse, self.colour) {
            (true, _) => "chosen",
            (_, Some(31 | 91)) => "red",
            (_, Some(32 | 92)) => "green",
            (_, Some(33 | 93)) => "yellow",
            (_, Some(34 | 36 | 94 | 96)) => "cyan",
            _ if self.dim => "dim",
            _ if self.bold => "bold",
            _ => "",
        }
    }
}

/// What a terminal shows, as SVG.
fn picture(name: &str, (columns, rows): (u16, u16), screen: &str) -> String {
    let (width, height) = (f64::from(columns) * COLUMN + 32.0, f64::from(rows) * ROW + 32.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" xml:space=\"preserve\">\n\
         <title>{name}</title>\n\
         <style>text {{ font: 14px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #d0d7de; white-space: pre }} \
         .bold {{ font-weight: bold; fill: #f0f6fc }} .dim {{ fill: #8b949e }} .red {{ fill: #ff7b72 }} .green {{ fill: #56d364 }} \
         .yellow {{ fill: #e3b341 }} .cyan {{ fill: #56d4dd }} .chosen {{ fill: #0d1117 }}</style>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#0d1117\"/>\n"
    );
    let mut style = Style::default();
    for (number, row) in screen.lines().enumerate() {
        let top = 16.0 + ROW * number as f64;
        let mut column = 0;
        let mut spans = String::new();
        for (position, piece) in row.split("\x1b[").enumerate() {
            let (codes, text) =
                if position == 0 { ("", piece) } else { piece.split_once('m').unwrap_or(("", piece)) };
            if position > 0 {
                style.take(codes);
            }
            let length = text.chars().count();
            if length == 0 {
                continue;
            }
            let left = 16.0 + COLUMN * column as f64;
            if style.reverse {
                let wide = COLUMN * length as f64;
                let _ = writeln!(
                    svg,
                    "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{wide:.1}\" height=\"{ROW}\" fill=\"#d0d7de\"/>"
                );
            }
            let class = style.class();
            let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
            let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            let _ = write!(spans, "<tspan x=\"{left:.1}\"{class}>{text}</tspan>");
            column += length;
        }
        if !spans.is_empty() {
            let _ = writeln!(svg, "<text y=\"{:.1}\">{spans}</text>", top + ROW * 0.75);
        }
    }
    svg.push_str("</svg>\n");
    svg
}

#[cfg(test)]
mod tests {
    use super::picture;

    #[test]
    fn a_screen_is_a_picture_of_its_letters_and_colours() {
        let svg = picture("a", (10, 2), "\x1b[1;38;5;1mred\x1b[0m <&\n\x1b[7mon\x1b[27m");
        for part in [
            "<tspan x=\"16.0\" class=\"red\">red</tspan>",
            "<tspan x=\"41.2\"> &lt;&amp;</tspan>",
            "class=\"chosen\">on",
            "fill=\"#d0d7de\"/>",
        ] {
            assert!(svg.contains(part), "{part}: {svg}");
        }
    }
}
