//! Which language a file is in, told by its name.

use strum::IntoStaticStr;

/// A language whose tests are counted. Those that share a way to write tests are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr)]
pub enum Language {
    /// Rust.
    Rust,
    /// Python.
    Python,
    /// JavaScript and TypeScript.
    JavaScript,
    /// Go.
    Go,
    /// Java, Kotlin, Groovy and Scala, as far as tests are marked by annotations.
    #[strum(serialize = "JVM")]
    Jvm,
    /// C# and F#.
    #[strum(serialize = ".NET")]
    Dotnet,
    /// Ruby.
    Ruby,
    /// PHP.
    #[strum(serialize = "PHP")]
    Php,
    /// Swift.
    Swift,
    /// C and C++, as far as tests are macros.
    #[strum(serialize = "C++")]
    Cpp,
    /// Elixir.
    Elixir,
    /// Dart.
    Dart,
    /// Shell tests for bats.
    #[strum(serialize = "bats")]
    Bats,
}

/// The language in which a file with this path may hold tests that its test runner would find; `None` = it holds none.
/// Where runners go by names, a file that is renamed so that its runner no longer finds it holds none any more.
pub fn language_of(path: &str) -> Option<Language> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (stem, extension) = name.rsplit_once('.')?;
    let holds = |language, holds: bool| holds.then_some(language);
    match extension {
        "rs" => Some(Language::Rust),
        "py" => holds(
            Language::Python,
            stem.starts_with("test_") || stem.ends_with("_test") || matches!(stem, "test" | "tests"),
        ),
        "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "cts" => {
            holds(Language::JavaScript, is_javascript_test(path, stem))
        }
        "go" => holds(Language::Go, stem.ends_with("_test")),
        "java" | "kt" | "kts" | "groovy" | "scala" => Some(Language::Jvm),
        "cs" | "fs" => Some(Language::Dotnet),
        "rb" => holds(
            Language::Ruby,
            stem.ends_with("_test") || stem.ends_with("_spec") || stem.starts_with("test_"),
        ),
        "php" => holds(Language::Php, stem.ends_with("Test") || stem.ends_with("_test")),
        "swift" => Some(Language::Swift),
        "c" | "cc" | "cpp" | "cxx" => Some(Language::Cpp),
        "exs" => holds(Language::Elixir, stem.ends_with("_test")),
        "dart" => holds(Language::Dart, stem.ends_with("_test")),
        "bats" => Some(Language::Bats),
        _ => None,
    }
}

fn is_javascript_test(path: &str, stem: &str) -> bool {
    let marked = [".test", ".spec", "-test", "_test", "-spec", "_spec", ".cy", ".e2e"];
    let by_name = marked.iter().any(|mark| stem.ends_with(mark)) || matches!(stem, "test" | "tests" | "spec");
    let folders = ["test", "tests", "__tests__", "spec", "specs", "e2e", "cypress"];
    by_name || path.split('/').rev().skip(1).any(|folder| folders.contains(&folder))
}
