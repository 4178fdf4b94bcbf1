//! Where configuration comes from, and who wins.

use super::{Place, answer, text};

/// The row of a key in what `--dry-run` prints: value and origin.
fn row(stdout: &str, key: &str) -> Vec<String> {
    let row = stdout.lines().find(|line| line.split_whitespace().next() == Some(key)).unwrap_or_default();
    row.split_whitespace().skip(1).map(str::to_owned).collect()
}

#[test]
fn flags_go_before_the_environment_before_the_project_before_the_user() {
    let place = Place::new();
    let limits =
        |one: u32| format!("[limits]\nmax_iterations = {one}\nmax_failures = {one}\nmax_cost = {one}\n");
    let user = place.file("home/.config/windlass/config.toml", format!("{}max_tokens = 1\n", limits(1)));
    place.file("work/.windlass/config.toml", limits(2));
    let mut command = place.windlass(&["run", "-p", "x", "-m", "4", "--dry-run"]);
    command.env("WINDLASS_LIMITS__MAX_ITERATIONS", "3").env("WINDLASS_LIMITS__MAX_FAILURES", "3");
    let answer = answer(&mut command);
    let project = format!("{}:4", text(&place.work().join(".windlass/config.toml")));
    for (key, value, origin) in [
        ("limits.max_iterations", "4", "--max-iterations"),
        ("limits.max_failures", "3", "WINDLASS_LIMITS__MAX_FAILURES"),
        ("limits.max_cost", "2", project.as_str()),
        ("limits.max_tokens", "1", &format!("{}:5", text(&user))),
        ("limits.max_wait", "\"6h\"", "default"),
    ] {
        assert_eq!(row(&answer.stdout, key), [value, origin], "{}{}", answer.stdout, answer.stderr);
    }
}

#[test]
fn the_projects_file_is_found_from_below_but_not_beyond_the_repository() {
    let place = Place::new();
    place.file("work/.windlass/config.toml", "[limits]\nmax_iterations = 7\n");
    place.file("work/deep/er/file", "");
    place.file("work/other/.git/HEAD", "");
    for (directory, value) in [("deep/er", "7"), ("other", "50")] {
        let answer = place.ask(&["-C", directory, "run", "-p", "x", "--dry-run"]);
        assert_eq!(row(&answer.stdout, "limits.max_iterations")[0], value, "{directory}: {}", answer.stderr);
    }
}

#[test]
fn the_users_file_can_be_elsewhere() {
    let place = Place::new();
    place.file("a/config.toml", "[limits]\nmax_iterations = 8\n");
    place.file("b/windlass/config.toml", "[limits]\nmax_iterations = 9\n");
    let root = place.root.path();
    for (variable, path, value) in [("WINDLASS_CONFIG_DIR", "a", "8"), ("XDG_CONFIG_HOME", "b", "9")] {
        let mut command = place.windlass(&["run", "-p", "x", "--dry-run"]);
        let answer = answer(command.env(variable, root.join(path)));
        assert_eq!(row(&answer.stdout, "limits.max_iterations")[0], value, "{variable}: {}", answer.stderr);
    }
}

#[test]
fn a_wrong_file_is_said_with_its_line_and_exit_2() {
    let place = Place::new();
    for (content, sentence) in [
        (
            &b"[limits]\nmax_cots = 1\n"[..],
            "config.toml:2: unknown key `limits.max_cots`; did you mean `limits.max_cost`?",
        ),
        (
            b"[limits]\r\n\r\nmax_cost = 'x'\r\n",
            "config.toml:3: `limits.max_cost`: `x` is not an amount in dollars",
        ),
        (
            b"[agent]\nskip_permissions = true\n",
            "config.toml:2: `agent.skip_permissions`: skipping permissions is never saved",
        ),
        (b"\xff", "config.toml:1: the file is not UTF-8 text"),
    ] {
        place.file("work/.windlass/config.toml", content);
        let answer = place.ask(&["run", "-p", "x", "--dry-run"]);
        assert_eq!(answer.code, Some(2), "{sentence}");
        assert!(answer.stderr.contains(sentence), "{}", answer.stderr);
    }
    place.file("work/.windlass/config.toml", "[agent]\narguments = ['--resume']\n");
    let answer = place.ask(&["run", "-p", "x", "--dry-run"]);
    let said = answer.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    let place = "work/.windlass/config.toml:2: `--resume` cannot be given to the agent: each call";
    assert!(said.contains("error: agent.arguments: ") && said.contains(place), "{said}");
    assert!(said.contains("hint: Take it out of agent.arguments there") && !said.contains("`--`"), "{said}");
}

#[test]
fn a_wrong_variable_is_named() {
    let place = Place::new();
    let mut command = place.windlass(&["run", "-p", "x", "--dry-run"]);
    let answer = answer(command.env("WINDLASS_LIMITS__MAX_COTS", "1"));
    assert_eq!(answer.code, Some(2));
    assert!(answer.stderr.contains("WINDLASS_LIMITS__MAX_COTS: unknown key"), "{}", answer.stderr);
}

#[test]
fn a_relative_folder_for_the_users_file_is_refused() {
    let place = Place::new();
    let mut command = place.windlass(&["run", "-p", "x", "--dry-run"]);
    let answer = answer(command.env("WINDLASS_CONFIG_DIR", "here"));
    assert_eq!(answer.code, Some(2), "{}", answer.stderr);
    assert!(answer.stderr.contains("WINDLASS_CONFIG_DIR must be an absolute path, but it is here"));
}
