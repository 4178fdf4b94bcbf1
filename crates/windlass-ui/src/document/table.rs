//! Tables: cells in columns. No cell is cut, since most are there to be copied.

use crate::line::{Line, Mark, Tone, width};
use crate::terminal::Terminal;

/// On which side of its column a cell stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Right,
}

/// A column.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    pub heading: &'static str,
    pub align: Align,
    pub tone: Tone,
}

/// Rows of cells, each with what is wrong with it, below their headings; every line ends with a newline.
pub(super) fn table<const N: usize>(
    columns: [Column; N],
    rows: &[([String; N], Option<&str>)],
    terminal: &Terminal,
) -> String {
    let mut widths = columns.map(|column| width(column.heading));
    for (cells, _) in rows {
        for (widest, cell) in widths.iter_mut().zip(cells) {
            *widest = (*widest).max(width(cell));
        }
    }
    let headings = columns.map(|column| column.heading.to_owned());
    let mut lines = vec![row(columns.map(|column| Column { tone: Tone::Dim, ..column }), widths, &headings)];
    for (cells, problem) in rows {
        lines.push(row(columns, widths, cells));
        lines.extend(problem.map(|problem| {
            let problem = crate::harmless::one_line(problem);
            Line::hanging(4).plain("  ").mark(Tone::Warn, Mark::Notice).plain(format!(" {problem}"))
        }));
    }
    let rows = lines.iter().map(|line| format!("{}\n", line.render(terminal).trim_end()));
    rows.collect()
}

fn row<const N: usize>(columns: [Column; N], widths: [usize; N], cells: &[String; N]) -> Line {
    let mut line = Line::new();
    for (index, ((column, widest), cell)) in columns.iter().zip(widths).zip(cells).enumerate() {
        let room = " ".repeat(widest.saturating_sub(width(cell)));
        let gap = if index == 0 { "" } else { "  " };
        let is_last = index + 1 == N;
        let text = match column.align {
            Align::Left if is_last => format!("{gap}{cell}"),
            Align::Left => format!("{gap}{cell}{room}"),
            Align::Right => format!("{gap}{room}{cell}"),
        };
        line = line.tone(column.tone, text);
    }
    line
}
