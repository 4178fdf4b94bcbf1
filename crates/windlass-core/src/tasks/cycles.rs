//! Tasks that wait for one another.

use std::collections::VecDeque;

/// Cycles of a graph given as the edges of each node, one for each knot of nodes that all lead to one another: the
/// shortest that leads through the knot's first node, in the order of its edges, the first node not repeated. A node
/// with an edge to itself is a cycle of one. Edges to nodes that are not there count for nothing.
///
/// Linear in nodes and edges.
pub fn cycles(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut knots = Knots::of(edges);
    knots.sort_unstable_by_key(|knot| knot.iter().min().copied());
    let mut knot_of = vec![usize::MAX; edges.len()];
    for (number, knot) in knots.iter().enumerate() {
        for node in knot {
            set(&mut knot_of, *node, number);
        }
    }
    let mut came_from = vec![usize::MAX; edges.len()];
    knots.iter().filter_map(|knot| shortest(edges, &knot_of, &mut came_from, knot)).collect()
}

/// The shortest way from the knot's first node to itself; `None` for a single node without an edge to itself.
fn shortest(
    edges: &[Vec<usize>],
    knot_of: &[usize],
    came_from: &mut [usize],
    knot: &[usize],
) -> Option<Vec<usize>> {
    let first = knot.iter().min().copied()?;
    let number = knot_of.get(first)?;
    let mut queue = VecDeque::from([first]);
    while let Some(node) = queue.pop_front() {
        for next in edges.get(node).into_iter().flatten().copied() {
            if next == first {
                return Some(way_back(came_from, first, node));
            }
            if knot_of.get(next) == Some(number) && came_from.get(next) == Some(&usize::MAX) {
                set(came_from, next, node);
                queue.push_back(next);
            }
        }
    }
    None
}

fn way_back(came_from: &[usize], first: usize, last: usize) -> Vec<usize> {
    let mut way = vec![last];
    let mut node = last;
    while node != first
        && let Some(before) = came_from.get(node).copied()
    {
        way.push(before);
        node = before;
    }
    way.reverse();
    way
}

/// Tarjan's strongly connected components, without recursion: a chain of tasks may be as long as the file.
struct Knots<'a> {
    edges: &'a [Vec<usize>],
    /// When each node was first seen; `usize::MAX` for never.
    seen: Vec<usize>,
    /// The earliest node on the stack that each leads to.
    low: Vec<usize>,
    on_stack: Vec<bool>,
    stack: Vec<usize>,
    time: usize,
    found: Vec<Vec<usize>>,
}

impl Knots<'_> {
    fn of(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
        let mut knots = Knots {
            edges,
            seen: vec![usize::MAX; edges.len()],
            low: vec![usize::MAX; edges.len()],
            on_stack: vec![false; edges.len()],
            stack: Vec::new(),
            time: 0,
            found: Vec::new(),
        };
        for start in 0..edges.len() {
            if at(&knots.seen, start) == usize::MAX {
                knots.walk(start);
            }
        }
        knots.found
    }

    fn walk(&mut self, start: usize) {
        let mut path = vec![(start, 0)];
        self.enter(start);
        while let Some((node, edge)) = path.last_mut() {
            let node = *node;
            let next = self.edges.get(node).and_then(|edges| edges.get(*edge)).copied();
            *edge += 1;
            match next {
                Some(next) if next >= self.edges.len() => {}
                Some(next) if at(&self.seen, next) == usize::MAX => {
                    self.enter(next);
                    path.push((next, 0));
                }
                Some(next) if self.on_stack.get(next) == Some(&true) => {
                    let seen = at(&self.seen, next);
                    self.lower(node, seen);
                }
                Some(_) => {}
                None => {
                    path.pop();
                    let low = at(&self.low, node);
                    if let Some((around, _)) = path.last() {
                        self.lower(*around, low);
                    }
                    if low == at(&self.seen, node) {
                        self.take_knot(node);
                    }
                }
            }
        }
    }

    fn enter(&mut self, node: usize) {
        set(&mut self.seen, node, self.time);
        set(&mut self.low, node, self.time);
        set(&mut self.on_stack, node, true);
        self.time += 1;
        self.stack.push(node);
    }

    fn lower(&mut self, node: usize, to: usize) {
        let low = at(&self.low, node).min(to);
        set(&mut self.low, node, low);
    }

    fn take_knot(&mut self, root: usize) {
        let mut knot = Vec::new();
        while let Some(node) = self.stack.pop() {
            set(&mut self.on_stack, node, false);
            knot.push(node);
            if node == root {
                break;
            }
        }
        self.found.push(knot);
    }
}

fn at(values: &[usize], index: usize) -> usize {
    values.get(index).copied().unwrap_or(usize::MAX)
}

fn set<T>(values: &mut [T], index: usize, to: T) {
    if let Some(value) = values.get_mut(index) {
        *value = to;
    }
}
