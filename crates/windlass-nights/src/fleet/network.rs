//! The network: what is asked of the servers, and what is sent from one to another.

use super::agenda::{Answer, Event, Letter, OrderLetter, Target};
use super::night::Night;
use super::runner::Stage;

/// A try waits so long for its answer.
pub(crate) const ONE_TRY: u64 = 2_000;

/// Who asks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Who {
    Runner(usize),
    Worker(usize),
}

/// What became of a question to the servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Answered,
    /// It did not arrive.
    Lost,
    /// It was done, and nobody heard so.
    Unheard,
}

impl Night<'_> {
    /// Does it reach the servers?
    pub fn reaches(&self, who: Who) -> bool {
        let cut = match who {
            Who::Runner(runner) => self.runners[runner].cut,
            Who::Worker(worker) => self.workers[worker].cut,
        };
        !cut && self.weather.away_until <= self.now
    }

    fn is_lost(&mut self) -> bool {
        self.weather.noise_until > self.now && {
            let lost = self.weather.lost;
            self.dice.chance(lost)
        }
    }

    /// How a short question to the servers goes.
    pub fn asks(&mut self, who: Who) -> Fate {
        if !self.reaches(who) {
            Fate::Lost
        } else if self.is_lost() {
            // What passes is tried again within the question's time, so most are answered in the end.
            match self.dice.below(6) {
                0 => Fate::Lost,
                1 => Fate::Unheard,
                _ => Fate::Answered,
            }
        } else {
            Fate::Answered
        }
    }

    /// How long what is sent now takes one way.
    pub fn way(&mut self) -> u64 {
        if self.weather.slow_until > self.now {
            let most = self.weather.slowest;
            self.between(1, most)
        } else {
            self.between(1, 12)
        }
    }

    /// When the copies of something that is sent now arrive: none, one or two.
    fn copies(&mut self, from: Who) -> [Option<u64>; 2] {
        if !self.reaches(from) || self.is_lost() {
            return [None, None];
        }
        let first = self.now + self.way();
        let again = self.weather.noise_until > self.now && {
            let twice = self.weather.twice;
            self.dice.chance(twice)
        };
        let second = again.then(|| first + self.between(1, 4_000));
        [Some(first), second]
    }

    /// An order to a worker. Where nobody answers within a try, that is the answer.
    pub fn send_order(&mut self, worker: usize, letter: &OrderLetter) {
        let (from, lane, token) = (letter.from, letter.lane, letter.token);
        let none = Event::Answered { lane, token, answer: Answer::None };
        self.agenda.add(self.now + ONE_TRY, Target::Runner(from), none);
        for at in self.copies(Who::Runner(from)).into_iter().flatten() {
            let target = Target::Worker(worker, self.workers[worker].started);
            self.agenda.add(at, target, Event::Ordered(Box::new(letter.clone())));
        }
    }

    pub fn answer_order(&mut self, worker: usize, letter: &OrderLetter, answer: Answer) {
        let answered = Event::Answered { lane: letter.lane, token: letter.token, answer };
        let [first, _] = self.copies(Who::Worker(worker));
        if let Some(at) = first {
            self.agenda.add(at, Target::Runner(letter.from), answered);
        }
    }

    /// An outcome, to everybody who listens for those of the run.
    pub fn send_outcome(&mut self, letter: &Letter) {
        let (worker, token) = (letter.worker, letter.token);
        self.agenda.add(
            self.now + ONE_TRY,
            Target::Worker(worker, letter.started),
            Event::Sent { token, answer: Answer::None },
        );
        for runner in 0..self.runners.len() {
            if matches!(self.runners[runner].stage, Stage::Runs) {
                for at in self.copies(Who::Worker(worker)).into_iter().flatten() {
                    self.agenda.add(at, Target::Runner(runner), Event::Arrived(letter.clone()));
                }
            }
        }
    }

    pub fn answer_outcome(&mut self, runner: usize, letter: &Letter, answer: Answer) {
        let sent = Event::Sent { token: letter.token, answer };
        let [first, _] = self.copies(Who::Runner(runner));
        if let Some(at) = first {
            self.agenda.add(at, Target::Worker(letter.worker, letter.started), sent);
        }
    }

    /// Everybody who works on the run is told that it is over.
    pub fn cancel(&mut self, runner: usize) {
        let epoch = self.runners[runner].epoch();
        for worker in 0..self.workers.len() {
            let [first, _] = self.copies(Who::Runner(runner));
            if let Some(at) = first {
                let target = Target::Worker(worker, self.workers[worker].started);
                self.agenda.add(at, target, Event::Cancelled(epoch));
            }
        }
    }
}
