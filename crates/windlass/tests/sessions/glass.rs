//! What stands on a terminal after all that was written to it: as much of one as the view needs.

/// Rows of characters, and where the next one goes.
pub struct Glass {
    rows: Vec<Vec<char>>,
    row: usize,
    column: usize,
}

impl Glass {
    /// A terminal of 80 columns and 24 rows on which this was written.
    pub fn showing(written: &str) -> String {
        let mut glass = Glass { rows: vec![vec![' '; 80]; 24], row: 0, column: 0 };
        let mut rest = written.chars();
        while let Some(character) = rest.next() {
            match character {
                '\x1b' => glass.escape(&mut rest),
                '\r' => glass.column = 0,
                '\n' => glass.row += 1,
                character if character.is_control() => {}
                character => glass.put(character),
            }
        }
        let rows = glass.rows.iter().map(|row| row.iter().collect::<String>().trim_end().to_owned());
        rows.collect::<Vec<_>>().join("\n")
    }

    fn put(&mut self, character: char) {
        if let Some(cell) = self.rows.get_mut(self.row).and_then(|row| row.get_mut(self.column)) {
            *cell = character;
        }
        self.column += 1;
    }

    fn escape(&mut self, rest: &mut std::str::Chars<'_>) {
        match rest.next() {
            Some('[') => {
                let mut sequence = String::new();
                for character in rest.by_ref() {
                    sequence.push(character);
                    if character.is_ascii_alphabetic() {
                        break;
                    }
                }
                self.obey(&sequence);
            }
            Some(']') => {
                rest.by_ref().find(|character| *character == '\x07');
            }
            _ => {}
        }
    }

    fn obey(&mut self, sequence: &str) {
        // One whose end has not been read yet does nothing.
        let ending = sequence.char_indices().next_back().filter(|(_, last)| last.is_ascii_alphabetic());
        let Some((end, _)) = ending else { return };
        let (parameters, what) = sequence.split_at(end);
        match what {
            "H" => {
                let mut numbers =
                    parameters.split(';').map(|number| number.parse().unwrap_or(1_usize).max(1));
                self.row = numbers.next().unwrap_or(1) - 1;
                self.column = numbers.next().unwrap_or(1) - 1;
            }
            "J" => self.rows.iter_mut().for_each(|row| row.fill(' ')),
            "h" | "l" if parameters == "?1049" => self.rows.iter_mut().for_each(|row| row.fill(' ')),
            "C" => self.column += parameters.parse().unwrap_or(1_usize),
            _ => {}
        }
    }
}
