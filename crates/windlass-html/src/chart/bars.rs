//! The bars of a chart: few of them with a word each, many of them as one shape for each colour.

use maud::{Markup, html};

use super::{HATCH, NAMED, units};

/// A rectangle in a plot's units: its upper left corner and its size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bar {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

/// Bars that are drawn together. Thousands of elements would take a browser longer than all the rest of a page.
#[derive(Debug)]
pub(super) enum Bars {
    /// Each for itself, with a word for whoever points at it.
    Named(Vec<Markup>),
    /// One shape for each class, in the order in which they came, and one for what is hatched.
    Joined { classes: Vec<(&'static str, Outline)>, hatched: Outline },
}

impl Bars {
    /// For so many.
    pub fn of(count: usize) -> Bars {
        if count <= NAMED {
            Bars::Named(Vec::new())
        } else {
            Bars::Joined { classes: Vec::new(), hatched: Outline::default() }
        }
    }

    /// Adds one.
    pub fn add(&mut self, class: &'static str, bar: Bar, word: impl FnOnce() -> String) {
        match self {
            Bars::Named(all) => all.push(bar.named(class, &word())),
            Bars::Joined { classes, .. } => match classes.iter_mut().find(|(known, _)| *known == class) {
                Some((_, outline)) => outline.add(bar),
                None => classes.push((class, Outline::of(bar))),
            },
        }
    }

    /// Hatches this part of one that was added.
    pub fn hatch(&mut self, bar: Bar) {
        match self {
            Bars::Named(all) => all.push(bar.hatched()),
            Bars::Joined { hatched, .. } => hatched.add(bar),
        }
    }

    /// The shapes.
    pub fn draw(self) -> Markup {
        match self {
            Bars::Named(all) => html! { @for bar in all { (bar) } },
            Bars::Joined { classes, hatched } => html! {
                @for (class, outline) in classes { path class=(class) d=(outline.end()) {} }
                (hatched.end_hatched())
            },
        }
    }
}

impl Bar {
    /// For itself, with a word.
    pub fn named(self, class: &str, word: &str) -> Markup {
        let Bar { x, y, width, height } = self;
        html! {
            rect class=(class) x=(units(x)) y=(units(y)) width=(units(width)) height=(units(height)) { title { (word) } }
        }
    }

    /// For itself, hatched.
    pub fn hatched(self) -> Markup {
        let Bar { x, y, width, height } = self;
        html! {
            rect x=(units(x)) y=(units(y)) width=(units(width)) height=(units(height)) fill={ "url(#" (HATCH) ")" } {}
        }
    }

    /// The two as one, where the other begins within this one or at its end.
    fn joined(self, next: Bar) -> Option<Bar> {
        // What is written has one digit after the point.
        let end = self.x + self.width;
        let is_next = next.x >= self.x && next.x < end + 0.05;
        let fits = is_next && (self.y, self.height) == (next.y, next.height);
        fits.then(|| Bar { width: end.max(next.x + next.width) - self.x, ..self })
    }
}

/// The outline of many bars, as the data of a path.
#[derive(Debug, Default)]
pub(super) struct Outline {
    data: String,
    /// The last one, which may go on.
    last: Option<Bar>,
}

impl Outline {
    fn of(bar: Bar) -> Outline {
        Outline { data: String::new(), last: Some(bar) }
    }

    fn add(&mut self, bar: Bar) {
        match self.last.map(|last| (last, last.joined(bar))) {
            Some((_, Some(both))) => self.last = Some(both),
            Some((last, None)) => {
                self.write(last);
                self.last = Some(bar);
            }
            None => self.last = Some(bar),
        }
    }

    fn write(&mut self, Bar { x, y, width, height }: Bar) {
        let [x, y, width, height] = [x, y, width, height].map(units);
        self.data.extend(["M", &x, " ", &y, "h", &width, "v", &height, "h-", &width, "z"]);
    }

    fn end(mut self) -> String {
        if let Some(last) = self.last.take() {
            self.write(last);
        }
        self.data
    }

    fn end_hatched(self) -> Markup {
        let data = self.end();
        html! { @if !data.is_empty() { path d=(data) fill={ "url(#" (HATCH) ")" } {} } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(count: usize, bars: &[(&'static str, f64, f64)]) -> String {
        let mut all = Bars::of(count);
        for (class, x, height) in bars {
            let bar = Bar { x: *x, y: 40.0 - height, width: 0.5, height: *height };
            all.add(class, bar, || format!("at {x}"));
            if *class == "idle" {
                all.hatch(bar);
            }
        }
        all.draw().into_string()
    }

    #[test]
    fn few_bars_have_a_word_each_and_many_are_one_shape_of_a_class() {
        let bars = [("worked", 0.0, 30.0), ("worked", 0.5, 30.0), ("idle", 1.0, 12.0), ("worked", 1.5, 30.0)];
        let few = drawn(NAMED, &bars);
        assert_eq!(few.matches("<rect").count(), 5, "{few}");
        assert_eq!(few.matches("<title>at 0.5</title>").count(), 1, "{few}");
        let many = drawn(NAMED + 1, &bars);
        assert_eq!(
            many,
            "<path class=\"worked\" d=\"M0 10h1v30h-1zM1.5 10h0.5v30h-0.5z\"></path>\
             <path class=\"idle\" d=\"M1 28h0.5v12h-0.5z\"></path>\
             <path d=\"M1 28h0.5v12h-0.5z\" fill=\"url(#@hatch)\"></path>"
        );
        assert_eq!(drawn(NAMED + 1, &[]), "");
    }
}
