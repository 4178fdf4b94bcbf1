//! The page about all forms, as they say it themselves.

use super::SOURCES;
use crate::doc::tasks::TaskForm;

/// How the page is renewed.
const RENEW: &str = "cargo run -q -p windlass-ui --example sources > docs/sources.md";

/// The text of `docs/sources.md`, generated from the table of forms.
pub fn page() -> String {
    let rows: String = SOURCES.into_iter().map(row).collect();
    format!(
        "# Where tasks come from\n\nGenerated from the table of forms: `{RENEW}`.\n\n\
         A file is read in the first form that knows its name and what it holds. `windlass tasks -f FILE` says what was read, \
         `windlass tasks validate -f FILE` what is not clear in it.\n\n\
         | form | what is read | where people keep it | worked through by | a new task |\n|---|---|---|---|---|\n{rows}"
    )
}

fn row(form: TaskForm) -> String {
    let all = [form.about().usual_places, form.about().other_places].concat();
    let named: Vec<String> = all.iter().map(|place| format!("`{place}`")).collect();
    let places = if named.is_empty() { "where you name it".to_owned() } else { named.join(", ") };
    let added = if form.about().adds { "`tasks add`" } else { "by hand" };
    let command = form.about().worked_off_by;
    format!("| `{}` | {} | {places} | {command} | {added} |\n", form.name(), form.about().summary)
}
