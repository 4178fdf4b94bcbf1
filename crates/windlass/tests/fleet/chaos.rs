//! Forty tasks while one of anything is killed every two seconds. A chore, since it takes minutes: `cargo xtask chaos`.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use rustix::process::Signal;
use windlass_testkit::{Nats, Running, TestEnv};

use super::yard::{Elsewhere, HONEST, PATIENCE, Yard, drain, the_journal};

const TASKS: u32 = 40;
const WORKERS: usize = 6;

/// Between two faults.
const PAUSE: Duration = Duration::from_secs(2);

/// No run takes longer.
const LONGEST: Duration = Duration::from_mins(15);

/// What is done to whom.
#[derive(Clone, Copy, Debug)]
enum Fault {
    KillWorker(usize),
    FreezeWorker(usize),
    KillServer(usize),
    KillRunner,
}

/// The same seed has the same faults (`SplitMix64`).
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % end as u64).unwrap_or_default()
    }

    fn fault(&mut self) -> Fault {
        match self.below(8) {
            0..4 => Fault::KillWorker(self.below(WORKERS)),
            4 => Fault::FreezeWorker(self.below(WORKERS)),
            5 | 6 => Fault::KillServer(self.below(3)),
            _ => Fault::KillRunner,
        }
    }
}

struct Chaos {
    yard: Yard,
    dice: Dice,
    workers: Vec<Running>,
    /// How many workers there were: each has a name of its own.
    named: usize,
    runner: Running,
    frozen: Option<usize>,
    down: Option<usize>,
    counts: BTreeMap<&'static str, usize>,
}

impl Chaos {
    fn begin(seed: u64) -> Chaos {
        let script = HONEST.replace("steps = [\n", "steps = [\n  { bash = \"sleep 1\" },\n");
        let yard = Yard::on(Nats::three(), TASKS, &script);
        let workers = (0..WORKERS).map(|at| yard.worker(&format!("w{at}"))).collect();
        let runner = Running::start(&mut yard.tasks(12, &["--max-iterations", "400"]));
        let (dice, counts) = (Dice(seed), BTreeMap::new());
        Chaos { yard, dice, workers, named: WORKERS, runner, frozen: None, down: None, counts }
    }

    fn count(&mut self, what: &'static str) {
        *self.counts.entry(what).or_default() += 1;
    }

    /// Until the run has ended by itself, with all that was started again in time.
    fn live(&mut self) {
        let began = Instant::now();
        loop {
            assert!(began.elapsed() < LONGEST, "{}", self.runner.stderr_so_far());
            // sleep: the faults are told apart by time.
            thread::sleep(PAUSE);
            self.recover();
            if self.runner.has_ended() {
                if !self.yard.of_kind("run_finished").is_empty() {
                    return;
                }
                self.count("resumed after an error");
                self.resume();
                continue;
            }
            match self.dice.fault() {
                Fault::KillWorker(at) => self.replace_worker(at),
                Fault::FreezeWorker(at) => {
                    self.count("frozen worker");
                    self.workers[at].signal(Signal::STOP);
                    self.frozen = Some(at);
                }
                Fault::KillServer(at) => {
                    self.count("killed server");
                    self.yard.nats.server(at).kill();
                    self.down = Some(at);
                }
                Fault::KillRunner => {
                    self.count("killed runner");
                    self.runner.signal(Signal::KILL);
                    self.resume();
                }
            }
        }
    }

    fn recover(&mut self) {
        if let Some(at) = self.frozen.take() {
            // sleep: for longer than its lease.
            thread::sleep(2 * PAUSE);
            self.workers[at].signal(Signal::CONT);
        }
        if let Some(at) = self.down.take() {
            self.yard.nats.server(at).start();
        }
    }

    fn replace_worker(&mut self, at: usize) {
        self.count("killed worker");
        self.workers[at].signal(Signal::KILL);
        let name = format!("w{}", self.named);
        self.named += 1;
        let new = self.yard.start_worker(&name, 2);
        std::mem::replace(&mut self.workers[at], new).wait(PATIENCE);
    }

    fn resume(&mut self) {
        let resumed = Running::start(&mut self.yard.windlass(&["resume"]));
        std::mem::replace(&mut self.runner, resumed).wait(PATIENCE);
    }

    /// What the fleet promises of it.
    fn judge(mut self, tree: &str) -> String {
        self.recover();
        self.yard.nats.wait_until_ready();
        let said = self.runner.stderr_so_far();
        let yard = &self.yard;
        assert_eq!(yard.of_kind("run_finished").last().unwrap()["stop_reason"], "complete", "{said}");
        assert_eq!(tree_of(&yard.env), tree, "{said}");
        yard.assert_whole();
        let numbers: Vec<u64> = yard.facts().iter().filter_map(|fact| fact["seq"].as_u64()).collect();
        assert!(numbers.iter().zip(1..).all(|(seq, at)| *seq == at), "facts are missing: {numbers:?}");
        let (reserved, finished) = (yard.of_kind("call_reserved"), yard.of_kind("call_finished"));
        let calls = |facts: &[serde_json::Value]| {
            let mut calls: Vec<u64> = facts.iter().filter_map(|fact| fact["call"].as_u64()).collect();
            calls.sort_unstable();
            calls
        };
        assert_eq!(calls(&reserved), calls(&finished), "each call is charged once: {said}");
        let unique = calls(&finished).windows(2).all(|pair| pair[0] < pair[1]);
        assert!(unique && !finished.is_empty(), "a call is charged twice: {:?}", calls(&finished));
        let done = yard.of_kind("task_closed").into_iter().filter(|fact| fact["end"] == "done").count();
        assert_eq!(done, TASKS as usize, "each task is done once");
        let estimated = finished.iter().filter(|call| call["estimated"] == true).count();
        let name = yard.facts()[0]["run"].as_str().unwrap().to_owned();
        let elsewhere = Elsewhere::of(yard);
        elsewhere.run(&["status", &name]).expect_success("status");
        let copied = fs::read(elsewhere.journal()).unwrap();
        assert_eq!(copied, fs::read(the_journal(&yard.env.state())).unwrap(), "the fleet has the journal");
        for worker in self.workers {
            drain(worker);
        }
        self.yard.env.assert_no_processes(PATIENCE);
        format!("{} calls, {estimated} estimated; {:?}", finished.len(), self.counts)
    }
}

/// What the tasks have made.
fn tree_of(env: &TestEnv) -> String {
    env.git(&["ls-tree", "-r", "HEAD", "work/", "tasks.md"])
}

/// What they make on one machine, one after another.
fn expected() -> String {
    let yard = Yard::new(TASKS, HONEST);
    let landed = yard.alone();
    landed.expect_success(&landed.stderr_text());
    tree_of(&yard.env)
}

#[test]
#[ignore = "it takes minutes: cargo xtask chaos"]
#[expect(clippy::print_stdout, reason = "a chore tells how each run went")]
fn whatever_is_killed_the_same_is_made_and_each_call_is_charged_once() {
    let number = |name: &str, usual: u64| env::var(name).ok().map_or(usual, |text| text.parse().unwrap());
    let (runs, seed) = (number("WINDLASS_TEST_CHAOS_RUNS", 1), number("WINDLASS_TEST_CHAOS_SEED", 1));
    let tree = expected();
    for seed in seed..seed + runs {
        let began = Instant::now();
        let mut chaos = Chaos::begin(seed);
        chaos.live();
        let told = chaos.judge(&tree);
        println!("seed {seed}: {} s, {told}", began.elapsed().as_secs());
    }
}
