//! Files that a build tool goes by: which it reads, what these read besides themselves, and what they say is to be run.

use super::command::{
    Simple, base, below, is_about_checks, is_assignment, operands, simple_commands, values,
};

/// Up to so many folders above are looked through by tools that do so.
const MOST_ABOVE: usize = 6;

/// A tool that goes by such a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BuildTool {
    /// GNU make.
    Make,
    /// just.
    Just,
    /// go-task.
    Task,
    /// rake.
    Rake,
}

/// A file that a tool goes by, by the names that stand for one another: it reads the first that there is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BuildFile {
    /// Whose.
    pub tool: BuildTool,
    /// Relative to the working directory.
    pub names: Vec<String>,
    /// Where the tool was started, relative to the working directory.
    pub folder: String,
    /// What it is to make or run; empty = what the file has first.
    pub goals: Vec<String>,
}

impl BuildTool {
    fn called(program: &str) -> Option<BuildTool> {
        Some(match base(program) {
            "make" | "gmake" => BuildTool::Make,
            "just" => BuildTool::Just,
            "task" | "go-task" => BuildTool::Task,
            "rake" => BuildTool::Rake,
            _ => return None,
        })
    }

    const fn names(self) -> &'static [&'static str] {
        match self {
            BuildTool::Make => &["GNUmakefile", "makefile", "Makefile"],
            BuildTool::Just => &["justfile", "Justfile", ".justfile"],
            BuildTool::Task => &[
                "Taskfile.yml",
                "taskfile.yml",
                "Taskfile.yaml",
                "taskfile.yaml",
                "Taskfile.dist.yml",
                "taskfile.dist.yml",
                "Taskfile.dist.yaml",
                "taskfile.dist.yaml",
            ],
            BuildTool::Rake => &["rakefile", "Rakefile", "rakefile.rb", "Rakefile.rb"],
        }
    }

    /// Flags that name the file, and flags that name the folder.
    const fn flags(self) -> (&'static [&'static str], &'static [&'static str]) {
        match self {
            BuildTool::Make => (&["-f", "--file", "--makefile"], &["-C", "--directory"]),
            BuildTool::Just => (&["-f", "--justfile"], &["-d", "--working-directory"]),
            BuildTool::Task => (&["-t", "--taskfile"], &["-d", "--dir"]),
            BuildTool::Rake => (&["-f", "--rakefile"], &[]),
        }
    }

    /// Does what it says run beside the file, wherever the tool was started?
    pub const fn runs_beside_its_file(self) -> bool {
        !matches!(self, BuildTool::Make)
    }

    /// The words of what it says is to be run, as a shell would have them.
    pub fn commands(self, text: &str) -> String {
        let line = |line: &str| match self {
            BuildTool::Make | BuildTool::Just => line.to_owned(),
            BuildTool::Task => yaml_command(line).to_owned(),
            BuildTool::Rake => ruby_commands(line),
        };
        text.lines().map(line).collect::<Vec<_>>().join("\n")
    }

    /// What a file of this tool reads besides itself.
    pub fn included(self, text: &str) -> Vec<Inclusion> {
        let joined = text.replace("\\\n", " ");
        let lines =
            || joined.lines().map(|line| if self == BuildTool::Make { line } else { line.trim_end() });
        match self {
            BuildTool::Make => lines().flat_map(make_includes).collect(),
            BuildTool::Just => lines().filter_map(just_includes).collect(),
            BuildTool::Task => task_includes(lines()),
            BuildTool::Rake => {
                let own = Inclusion::Pattern("rakelib/*.rake".to_owned());
                std::iter::once(own).chain(lines().flat_map(rake_includes)).collect()
            }
        }
    }
}

/// The files that build tools in a text go by.
pub fn build_files(text: &str) -> Vec<BuildFile> {
    let mut found = Vec::new();
    for Simple { words, folder } in simple_commands(text) {
        let Some(tool) = words.first().and_then(|first| BuildTool::called(first)) else { continue };
        let (files, folders) = tool.flags();
        let folder = values(&words, folders).last().map_or(folder.clone(), |to| below(&folder, to));
        let told = values(&words, files);
        let goals = operands(&words, &[files, folders].concat());
        let goals: Vec<String> = goals.into_iter().filter(|word| !is_assignment(word)).cloned().collect();
        if told.is_empty() {
            let levels = if tool == BuildTool::Make { 0 } else { MOST_ABOVE };
            let name = |above: usize, name: &str| below(&folder, &format!("{}{name}", "../".repeat(above)));
            let names =
                (0..=levels).flat_map(|above| tool.names().iter().map(move |one| name(above, one))).collect();
            found.push(BuildFile { tool, names, folder, goals });
            continue;
        }
        for file in told {
            let names = vec![below(&folder, &file)];
            found.push(BuildFile { tool, names, folder: folder.clone(), goals: goals.clone() });
        }
    }
    found
}

/// What one file reads besides itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inclusion {
    /// A file, by the names that stand for one another; its own includes count as well.
    File(Vec<String>),
    /// All that fit.
    Pattern(String),
    /// It cannot be told which, or it is likely what is worked on: as it stands, and what would cover it.
    Unknown(String, Option<String>),
}

/// A name as it stands: with variables it is none.
fn inclusion(written: &str, name: &str) -> Inclusion {
    if name.contains(['$', '{']) || name.contains("://") {
        let last = name.rsplit('/').next().filter(|last| !last.contains(['$', '{', '}', ':']));
        return Inclusion::Unknown(written.trim().to_owned(), last.map(str::to_owned));
    }
    if name.contains(['*', '?', '[']) {
        return Inclusion::Pattern(name.to_owned());
    }
    Inclusion::File(vec![name.to_owned()])
}

fn without_quotes(word: &str) -> &str {
    word.trim_matches(['\'', '"'])
}

/// `include a.mk b.mk`, `-include x`, `sinclude x`.
fn make_includes(line: &str) -> Vec<Inclusion> {
    let line = line.split('#').next().unwrap_or_default();
    let mut words = line.split_whitespace();
    let is_include = |word: &str| matches!(word, "include" | "-include" | "sinclude");
    if line.starts_with('\t') || !words.next().is_some_and(is_include) {
        return Vec::new();
    }
    words.map(|name| inclusion(&format!("include {name}"), name)).collect()
}

/// `import 'x'`, `import? 'x'`, `mod x`, `mod? x 'y'`.
fn just_includes(line: &str) -> Option<Inclusion> {
    let line = line.split(" #").next().unwrap_or_default();
    let mut words = line.split_whitespace();
    match words.next()? {
        "import" | "import?" => {
            let name = words.next()?;
            (name.starts_with(['\'', '"'])).then(|| inclusion(line, without_quotes(name)))
        }
        "mod" | "mod?" => {
            let name = words.next()?;
            let is_name = name.chars().all(|char| char.is_ascii_alphanumeric() || "_-".contains(char));
            match words.next().map(without_quotes) {
                Some(path) => Some(Inclusion::File(in_module(path))),
                None if is_name => {
                    Some(Inclusion::File([vec![format!("{name}.just")], in_folder(name)].concat()))
                }
                None => None,
            }
        }
        _ => None,
    }
}

/// The path of a module is its file, or a folder with one.
fn in_module(path: &str) -> Vec<String> {
    [vec![path.to_owned()], in_folder(path)].concat()
}

fn in_folder(folder: &str) -> Vec<String> {
    ["mod.just", "justfile", ".justfile"]
        .map(|file| format!("{}/{file}", folder.trim_end_matches('/')))
        .to_vec()
}

/// The values below `includes:`, each a file or a folder. Words that name none are files that are not there.
fn task_includes<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<Inclusion> {
    let mut found = Vec::new();
    let mut inside = false;
    for line in lines {
        let text = line.split(" #").next().unwrap_or_default();
        let is_top = !text.starts_with([' ', '\t', '#', '}', ']']) && !text.trim().is_empty();
        let rest = if is_top { text.strip_prefix("includes:") } else { Some(text) };
        inside = if is_top { rest.is_some() } else { inside };
        let Some(rest) = rest.filter(|_| inside && !text.trim_start().starts_with('#')) else { continue };
        let words =
            rest.split(|char: char| char.is_whitespace() || "{},[]".contains(char) && !rest.contains("{{"));
        for word in words.filter(|word| !word.ends_with(':')) {
            let word = without_quotes(word);
            if word.is_empty() || matches!(word, "-" | "true" | "false") {
                continue;
            }
            found.push(match inclusion(rest, word) {
                Inclusion::File(_) => Inclusion::File(
                    std::iter::once(word.to_owned())
                        .chain(BuildTool::Task.names().iter().map(|name| below(word, name)))
                        .collect(),
                ),
                other => other,
            });
        }
    }
    found
}

/// `import 'x.rake'`, `load 'x'`, `require_relative 'tasks/x'`, `Dir.glob('tasks/*.rake')`, `add_rakelib 'x'`.
fn rake_includes(line: &str) -> Vec<Inclusion> {
    let line = line.split(" #").next().unwrap_or_default().trim_start();
    if line.starts_with('#') {
        return Vec::new();
    }
    let has = |word: &str| {
        line.split(|char: char| !char.is_ascii_alphanumeric() && char != '_').any(|part| part == word)
    };
    let names = quoted(line);
    if has("Dir") || has("FileList") || has("add_rakelib") {
        let loads = has("load") || has("import") || has("require") || has("require_relative") || has("each");
        let pattern =
            |name: &&&str| loads && name.contains('*') && (has_ending(name, "rake") || is_about_checks(name));
        let library =
            has("add_rakelib").then(|| names.first().map(|name| format!("{name}/*.rake"))).flatten();
        return names
            .iter()
            .filter(pattern)
            .map(|name| (*name).to_owned())
            .chain(library)
            .map(Inclusion::Pattern)
            .collect();
    }
    let verb = line.split(|char: char| char.is_whitespace() || char == '(').next().unwrap_or_default();
    if !matches!(verb, "import" | "load" | "require_relative" | "require") {
        return Vec::new();
    }
    let Some(name) = names.first() else { return vec![Inclusion::Unknown(line.trim().to_owned(), None)] };
    if verb == "require" && !name.starts_with('.') {
        return Vec::new();
    }
    let plain = name.trim_start_matches("./");
    let file = if verb.starts_with("require") && !has_ending(plain, "rb") {
        format!("{plain}.rb")
    } else {
        plain.to_owned()
    };
    if name.contains("#{") {
        return vec![inclusion(line, &name.replace("#{", "${"))];
    }
    // What is loaded is often the program that is worked on.
    if has_ending(&file, "rake") || is_about_checks(&file) || plain.split('/').any(|part| part == "tasks") {
        return vec![Inclusion::File(vec![file])];
    }
    vec![Inclusion::Unknown(line.trim().to_owned(), Some(file))]
}

fn has_ending(name: &str, ending: &str) -> bool {
    std::path::Path::new(name).extension().is_some_and(|own| own == ending)
}

/// The texts between quotes.
fn quoted(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find(['\'', '"']) {
        let quote = rest.get(at..=at).unwrap_or_default();
        let after = rest.get(at + 1..).unwrap_or_default();
        let Some((text, further)) = after.split_once(quote) else { break };
        found.push(text);
        rest = further;
    }
    found
}

/// `- cmd: sh x.sh` → `sh x.sh`.
fn yaml_command(line: &str) -> &str {
    let mut rest = line.trim();
    while let Some(after) = rest.strip_prefix("- ") {
        rest = after.trim_start();
    }
    for key in ["cmd:", "cmds:", "sh:", "defer:"] {
        rest = rest.strip_prefix(key).map_or(rest, str::trim_start);
    }
    let is_whole = |quote: char| rest.len() > 1 && rest.starts_with(quote) && rest.ends_with(quote);
    if is_whole('"') || is_whole('\'') { rest.get(1..rest.len() - 1).unwrap_or(rest) } else { rest }
}

/// `sh "bash x.sh"`, `system('x')`, `ruby "x.rb"`: each on a line of its own.
fn ruby_commands(line: &str) -> String {
    let line = line.trim();
    let starts = ["sh", "system", "exec", "spawn", "ruby"].iter().any(|verb| {
        let parts = line.split(|char: char| !char.is_ascii_alphanumeric() && char != '_' && char != '.');
        parts.into_iter().any(|part| part == *verb)
    });
    let backticks = line.split('`').skip(1).step_by(2);
    let first = quoted(line).into_iter().filter(|_| starts);
    let ruby = line.starts_with("ruby ");
    let command = |text: &str| if ruby { format!("ruby {text}") } else { text.to_owned() };
    first.map(command).chain(backticks.map(str::to_owned)).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(names: &[&str]) -> Inclusion {
        Inclusion::File(names.iter().map(|name| (*name).to_owned()).collect())
    }

    fn pattern(text: &str) -> Inclusion {
        Inclusion::Pattern(text.to_owned())
    }

    fn unknown(text: &str, pattern: Option<&str>) -> Inclusion {
        Inclusion::Unknown(text.to_owned(), pattern.map(str::to_owned))
    }

    #[test]
    fn the_files_of_build_tools_are_named_whatever_the_flags_look_like() {
        let names =
            |text: &str| build_files(text).into_iter().flat_map(|file| file.names).collect::<Vec<_>>();
        for (text, expected) in [
            ("make -f ci.mk test", "ci.mk"),
            ("make -fci.mk", "ci.mk"),
            ("make -skf ci.mk", "ci.mk"),
            ("make --file=ci.mk", "ci.mk"),
            ("make --makefile ci.mk -C sub", "sub/ci.mk"),
            ("just --justfile=ci/x.just check", "ci/x.just"),
            ("task -t ci/x.yml", "ci/x.yml"),
            ("rake -f ci.rake", "ci.rake"),
            ("cd sub && make -f ci.mk", "sub/ci.mk"),
        ] {
            assert_eq!(names(text), [expected], "{text}");
        }
        assert_eq!(names("make -f a.mk -f b.mk"), ["a.mk", "b.mk"]);
        assert_eq!(names("make -Csub"), ["sub/GNUmakefile", "sub/makefile", "sub/Makefile"]);
        assert!(names("task test").contains(&"../Taskfile.yml".to_owned()));
        assert_eq!(names("cargo test"), Vec::<String>::new());
    }

    #[test]
    fn what_build_files_read_besides_themselves() {
        use BuildTool::{Just, Make, Rake, Task};
        assert_eq!(
            Make.included("include a.mk b.mk\n\tinclude no.mk\n-include \\\n x/*.mk # c\n"),
            [file(&["a.mk"]), file(&["b.mk"]), pattern("x/*.mk")]
        );
        assert_eq!(Make.included("include $(DIR)/c.mk"), [unknown("include $(DIR)/c.mk", Some("c.mk"))]);
        assert_eq!(
            Just.included("import 'ci/a.just'\nimport? \"b.just\"\nmod c\nmod? d 'e'\nmodule x\n"),
            [
                file(&["ci/a.just"]),
                file(&["b.just"]),
                file(&["c.just", "c/mod.just", "c/justfile", "c/.justfile"]),
                file(&["e", "e/mod.just", "e/justfile", "e/.justfile"]),
            ]
        );
        let task = |text: &str| {
            let first = |inclusion: Inclusion| match inclusion {
                Inclusion::File(names) => names.first().cloned().unwrap_or_default(),
                other => format!("{other:?}"),
            };
            Task.included(text).into_iter().map(first).collect::<Vec<_>>()
        };
        let text = "version: '3'\nincludes:\n  # docs: ./no\n  docs: ./docs\n  ci:\n    taskfile: \"ci/Tasks.yml\" # x\n    \
                    optional: true\ntasks:\n  a: [./not-this]\n";
        assert_eq!(task(text), ["./docs", "ci/Tasks.yml"]);
        assert_eq!(task("includes: {a: ./b.yml, c: {taskfile: d.yml}}\n"), ["./b.yml", "d.yml"]);
        let remote = task("includes:\n  a: https://example.com/t.yml\n  b: ./{{OS}}/t.yml\n");
        assert!(remote.iter().all(|name| name.starts_with("Unknown")) && remote.len() == 2, "{remote:?}");
        let own = pattern("rakelib/*.rake");
        let rake = |text: &str| {
            let mut found = Rake.included(text);
            assert_eq!(found.remove(0), own);
            found
        };
        assert_eq!(
            rake("import 'ci/a.rake'\nload('tasks/b.rb')\nrequire_relative './ci/c'\nrequire 'rake'\n"),
            [file(&["ci/a.rake"]), file(&["tasks/b.rb"]), file(&["ci/c.rb"]),]
        );
        assert_eq!(
            rake("require_relative 'lib/app'"),
            [unknown("require_relative 'lib/app'", Some("lib/app.rb"))]
        );
        assert_eq!(rake("Dir.glob('ci/*.rake').each { |r| load r }"), [pattern("ci/*.rake")]);
        assert_eq!(rake("Rake.add_rakelib 'more'"), [pattern("more/*.rake")]);
        assert_eq!(rake("load file"), [unknown("load file", None)]);
    }

    #[test]
    fn what_build_files_say_is_to_be_run() {
        let run = |tool: BuildTool, text: &str| tool.commands(text).trim().to_owned();
        assert_eq!(run(BuildTool::Task, "      - cmd: sh ci/x.sh\n"), "sh ci/x.sh");
        assert_eq!(run(BuildTool::Task, "    - 'sh ci/x.sh'\n"), "sh ci/x.sh");
        assert_eq!(run(BuildTool::Rake, "  sh \"bash ci/x.sh --all\" do |ok|"), "bash ci/x.sh --all");
        assert_eq!(run(BuildTool::Rake, "x = `sh ci/y.sh`"), "sh ci/y.sh");
        assert_eq!(run(BuildTool::Rake, "t.pattern = 'spec/a_spec.rb'"), "");
    }
}
