//! A list of which one row is selected.

/// What is selected, and what is at the top.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Picker {
    selected: usize,
    top: usize,
}

impl Picker {
    /// Which row is selected.
    pub const fn selected(self) -> usize {
        self.selected
    }

    /// Selects a row.
    pub fn select(&mut self, row: usize) {
        self.selected = row;
    }

    /// Moves the selection by so many rows of a list of this length.
    pub fn step(&mut self, rows: isize, length: usize) {
        self.selected = self.selected.saturating_add_signed(rows).min(length.saturating_sub(1));
    }

    /// The first row that is shown, so that the selected one is among so many. The list has this length.
    pub fn top(&mut self, height: usize, length: usize) -> usize {
        self.selected = self.selected.min(length.saturating_sub(1));
        let height = height.max(1);
        let lowest = (self.selected + 1).saturating_sub(height);
        self.top = self.top.clamp(lowest, self.selected).min(length.saturating_sub(height));
        self.top
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_selected_row_is_always_seen() {
        let mut picker = Picker::default();
        for (step, height, top) in
            [(5, 3, 3), (-1, 3, 3), (-2, 3, 2), (100, 3, 7), (0, 20, 0), (0, 1, 9), (-100, 0, 0)]
        {
            picker.step(step, 10);
            assert_eq!(picker.top(height, 10), top, "{step} {height}");
        }
        assert_eq!(picker.top(3, 0), 0);
    }
}
