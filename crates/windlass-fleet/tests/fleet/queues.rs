//! The queue of first orders, on one server.

use std::thread;
use std::time::Duration;

use windlass_fleet::names::{Class, OrderKey};
use windlass_fleet::orders::{LARGEST_ORDER, Published, Queue};
use windlass_fleet::settings::Role;
use windlass_fleet::{Deadline, FleetError};
use windlass_testkit::environment::wait_until;

use super::raw::Raw;
use super::support::{connect, fences, night, order, soon};

const WAIT: Duration = Duration::from_secs(20);
const BRIEFLY: Duration = Duration::from_millis(200);

fn class(labels: &[&str]) -> Class {
    Class::of(labels.iter().map(|label| label.parse().unwrap())).unwrap()
}

fn key(text: &str) -> OrderKey {
    text.parse().unwrap()
}

#[test]
fn an_order_is_taken_by_whoever_serves_its_class_and_is_gone_once_acknowledged() {
    let (nats, fleet) = night();
    let queue = Queue::of(&fleet);
    let (linux, gpu) = (class(&["os=linux"]), class(&["gpu", "os=linux"]));
    for class in [&linux, &gpu] {
        queue.open_class(class, soon()).unwrap();
        queue.open_class(class, soon()).unwrap();
    }
    queue.publish(&gpu, &key("k1"), &order(5), fences(), soon()).unwrap();

    let worker = Queue::of(&connect(&nats, Role::Worker));
    assert!(worker.take(&linux, BRIEFLY).unwrap().is_none());
    let taken = worker.take(&gpu, WAIT).unwrap().unwrap();
    assert_eq!((taken.errand.clone(), taken.fences, taken.deliveries()), (order(5), fences(), 1));
    let state = queue.class(&gpu, soon()).unwrap();
    assert_eq!((state.pending, state.taken), (0, 1));
    taken.acknowledge(soon()).unwrap();
    assert_eq!(queue.class(&gpu, soon()).unwrap().taken, 0);
    assert!(worker.take(&gpu, BRIEFLY).unwrap().is_none());
}

#[test]
fn the_same_order_twice_is_there_once() {
    let (_nats, fleet) = night();
    let queue = Queue::of(&fleet);
    let any = Class::default();
    queue.open_class(&any, soon()).unwrap();
    let Published::New(first) = queue.publish(&any, &key("a/1"), &order(1), fences(), soon()).unwrap() else {
        panic!("it was there before")
    };
    let again = queue.publish(&any, &key("a/1"), &order(1), fences(), soon()).unwrap();
    assert_eq!(again, Published::Before(first));
    let other = queue.publish(&any, &key("a/2"), &order(2), fences(), soon()).unwrap();
    assert!(matches!(other, Published::New(_)));
    assert_eq!(queue.class(&any, soon()).unwrap().pending, 2);
}

#[test]
fn an_order_that_is_put_back_comes_again_after_its_pause() {
    let (_nats, fleet) = night();
    let queue = Queue::of(&fleet);
    let any = Class::default();
    queue.open_class(&any, soon()).unwrap();
    queue.publish(&any, &key("k"), &order(1), fences(), soon()).unwrap();
    let pause = Duration::from_millis(700);
    queue.take(&any, WAIT).unwrap().unwrap().put_back(pause, soon()).unwrap();
    assert!(queue.take(&any, BRIEFLY).unwrap().is_none());
    let again = queue.take(&any, WAIT).unwrap().unwrap();
    assert_eq!((again.errand.clone(), again.deliveries()), (order(1), 2));
    again.discard(soon()).unwrap();
    let state = queue.class(&any, soon()).unwrap();
    assert_eq!((state.pending, state.taken), (0, 0));
}

#[test]
fn each_of_many_orders_is_taken_by_one_of_two_workers() {
    let (nats, fleet) = night();
    let queue = Queue::of(&fleet);
    let any = Class::default();
    queue.open_class(&any, soon()).unwrap();
    for number in 0..40 {
        queue.publish(&any, &key(&format!("k{number}")), &order(number), fences(), soon()).unwrap();
    }
    let work = |queue: Queue| {
        let mut taken = Vec::new();
        while let Some(order) = queue.take(&any, BRIEFLY).unwrap() {
            order.acknowledge(soon()).unwrap();
            taken.push(order.errand.order.epoch.0);
        }
        taken
    };
    let mut taken: Vec<u64> = thread::scope(|scope| {
        let workers: Vec<_> = (0..2)
            .map(|_| {
                let worker = Queue::of(&connect(&nats, Role::Worker));
                scope.spawn(|| work(worker))
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    taken.sort_unstable();
    assert_eq!(taken, (0..40).collect::<Vec<u64>>());
}

#[test]
fn a_class_that_nobody_serves_is_seen() {
    let (nats, fleet) = night();
    let queue = Queue::of(&fleet);
    let any = Class::default();
    let error = queue.class(&any, soon()).unwrap_err();
    assert!(matches!(error, FleetError::Missing { .. }), "{error:?}");
    assert!(matches!(
        queue.take(&any, BRIEFLY),
        Err(FleetError::Missing { .. } | FleetError::TimedOut { .. })
    ));
    queue.open_class(&any, soon()).unwrap();
    queue.open_class(&class(&["gpu"]), soon()).unwrap();
    assert_eq!(queue.class(&any, soon()).unwrap().waiting, 0);

    let worker = Queue::of(&connect(&nats, Role::Worker));
    thread::scope(|scope| {
        let waiting = scope.spawn(|| worker.take(&any, WAIT).unwrap().unwrap());
        assert!(wait_until(WAIT, || queue.class(&any, soon()).unwrap().waiting == 1));
        let mut classes = queue.classes(soon()).unwrap();
        classes.sort_by(|one, other| one.class.cmp(&other.class));
        let states: Vec<(String, usize)> =
            classes.into_iter().map(|state| (state.class.token(), state.waiting)).collect();
        assert_eq!(states, [("_any".to_owned(), 1), ("gpu".to_owned(), 0)]);
        queue.publish(&any, &key("k"), &order(1), fences(), soon()).unwrap();
        waiting.join().unwrap().acknowledge(soon()).unwrap();
    });
}

#[test]
fn what_is_no_order_is_an_error_once_and_in_nobodys_way() {
    let (nats, fleet) = night();
    let queue = Queue::of(&fleet);
    let any = Class::default();
    queue.open_class(&any, soon()).unwrap();
    let sound = serde_json::to_string(&order(1)).unwrap();
    let newer = sound.replacen("\"v\":1", "\"v\":2", 1);
    assert_ne!(newer, sound);
    let deep = "[".repeat(500_000);
    let fence = "Windlass-Runner-Epoch: 3";
    let mut raw = Raw::connect(&nats.urls()[0], None);
    let elsewhere = sound.replace("r-00000001", "../../etc");
    assert_ne!(elsewhere, sound);
    let garbage: [(&str, &[u8]); 8] = [
        (fence, b"not json"),
        (fence, b""),
        (fence, b"\xff\x00\xfe"),
        (fence, deep.as_bytes()),
        (fence, newer.as_bytes()),
        (fence, elsewhere.as_bytes()),
        ("Windlass-Runner-Epoch: -1", sound.as_bytes()),
        ("X: y", sound.as_bytes()),
    ];
    for (headers, payload) in garbage {
        assert!(raw.publish_with("windlass.night.orders._any.r-00000001.17", None, headers, payload));
    }
    // Larger than any order: the server does not take it.
    assert!(raw.publish_with(
        "windlass.night.orders._any.r-00000001.17",
        None,
        fence,
        &vec![b' '; LARGEST_ORDER + 10_000]
    ));
    queue.publish(&any, &key("k"), &order(1), fences(), soon()).unwrap();
    for (_, payload) in garbage {
        let error = queue.take(&any, WAIT).unwrap_err();
        assert!(matches!(error, FleetError::Garbled { .. }), "{error:?} for {} bytes", payload.len());
        assert!(error.to_string().len() < 500);
    }
    assert_eq!(queue.take(&any, WAIT).unwrap().unwrap().errand, order(1));
    assert_eq!(queue.class(&any, soon()).unwrap().taken, 1);
}

#[test]
fn an_order_that_is_too_large_is_not_sent() {
    let (_nats, fleet) = night();
    let mut large = order(1);
    large.order.run.0 = "x".repeat(LARGEST_ORDER);
    let error =
        Queue::of(&fleet).publish(&Class::default(), &key("k"), &large, fences(), soon()).unwrap_err();
    assert!(matches!(error, FleetError::TooLarge { .. }), "{error}");
}

#[test]
fn without_its_stream_a_queue_says_what_to_do() {
    let nats = windlass_testkit::Nats::one();
    let queue = Queue::of(&connect(&nats, Role::Runner));
    let any = Class::default();
    for error in [
        queue.publish(&any, &key("k"), &order(1), fences(), soon()).unwrap_err(),
        queue.open_class(&any, soon()).unwrap_err(),
        queue.classes(soon()).unwrap_err(),
    ] {
        assert!(
            matches!(&error, FleetError::Missing { name } if name == "windlass_night_orders"),
            "{error:?}"
        );
    }
}

#[test]
fn waiting_for_an_order_ends_when_it_was_said_to() {
    let (_nats, fleet) = night();
    let queue = Queue::of(&fleet);
    queue.open_class(&Class::default(), soon()).unwrap();
    let deadline = Deadline::after(Duration::from_secs(5));
    assert!(queue.take(&Class::default(), BRIEFLY).unwrap().is_none());
    assert!(!deadline.is_over());
}
