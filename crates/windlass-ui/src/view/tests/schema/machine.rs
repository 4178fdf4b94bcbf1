//! The shape of what verbs print of a machine, of a configuration, of what files start, of a fleet.

use strum::VariantNames as _;

use super::Presence::{Always, Sometimes};
use super::Shape::{self, Anything, ByName, Flag, Integer, List, Nullable, Object, OneOf, Text};
use super::documents::MODE;
use super::{Field, HOOK};
use crate::document::{Health, Hearing};

/// `config list`.
pub(super) const CONFIG: &[Field] = &[("values", List(&Object(CONFIG_VALUE)), Always)];

/// `config get`.
pub(super) const CONFIG_VALUE: &[Field] = &[
    ("key", Text, Always),
    // What the key holds: a text, a number, a list; null where there is no value.
    ("value", Anything, Always),
    (
        "origin",
        Object(&[
            ("layer", OneOf(&["default", "user", "project", "workspace", "environment", "flag"]), Always),
            // Of a default: the mode that it is one for.
            ("mode", MODE, Sometimes),
            // Of a file.
            ("file", Text, Sometimes),
            ("line", Integer, Sometimes),
            // The variable, or the flag.
            ("name", Text, Sometimes),
        ]),
        Always,
    ),
];

/// `config keys`.
pub(super) const CONFIG_KEYS: &[Field] = &[(
    "keys",
    List(&Object(&[
        ("key", Text, Always),
        ("kind", Text, Always),
        ("list", Flag, Always),
        ("secret", Flag, Always),
        ("default", Anything, Always),
        ("default_in", ByName(&Anything), Always),
        ("variable", Text, Always),
        ("help", Text, Always),
    ])),
    Always,
)];

/// `config path`.
pub(super) const CONFIG_FILES: &[Field] = &[(
    "files",
    List(&Object(&[
        ("layer", OneOf(&["user", "project", "workspace"]), Always),
        ("path", Text, Always),
        ("state", OneOf(&["there", "missing", "broken"]), Always),
        ("values", Integer, Sometimes),
        ("problem", Text, Sometimes),
    ])),
    Always,
)];

/// `doctor`.
pub(super) const DOCTOR: &[Field] = &[
    ("ready", Flag, Always),
    (
        "findings",
        List(&Object(&[
            ("about", Text, Always),
            ("health", OneOf(Health::VARIANTS), Always),
            ("found", Text, Always),
            ("advice", List(&Text), Always),
        ])),
        Always,
    ),
];

/// `run --dry-run`.
pub(super) const REHEARSAL: &[Field] = &[
    ("directory", Text, Always),
    ("goal", Text, Always),
    ("tasks", Nullable(&Text), Always),
    ("agent", Text, Always),
    ("way_out", Nullable(&Text), Always),
    ("notices", List(&Text), Always),
    // Why it would not begin.
    ("problems", List(&Text), Always),
    ("hooks", List(&Object(&[("hook", HOOK, Always), ("command", Text, Always)])), Always),
    ("configuration", List(&Object(CONFIG_VALUE)), Always),
    ("system_prompt", Text, Always),
    ("prompt", Text, Always),
    // An object, or the text of a file that is none.
    ("settings", Anything, Always),
    ("environment", List(&Object(&[("name", Text, Always), ("value", Nullable(&Text), Always)])), Always),
    ("command", Text, Always),
];

/// `hooks list`.
pub(super) const HOOKS: &[Field] = &[
    (
        "hooks",
        List(&Object(&[
            ("hook", HOOK, Always),
            ("source", Nullable(&OneOf(&["command", "file"])), Always),
            ("command", Nullable(&Text), Always),
            ("called", Flag, Always),
            ("problem", Nullable(&Text), Always),
            ("remedy", Nullable(&Text), Always),
            ("timeout_ms", Integer, Always),
        ])),
        Always,
    ),
    ("notices", List(&Text), Always),
];

/// `trust --list`.
pub(super) const TRUST: &[Field] = &[
    ("hash", Text, Always),
    (
        "items",
        List(&Object(&[
            // `windlass`, or an agent's name.
            ("starter", Text, Always),
            ("file", Text, Always),
            ("key", Text, Always),
            ("what", OneOf(&["text", "file"]), Always),
            // Of a text.
            ("text", Text, Sometimes),
            // Of a file.
            ("path", Text, Sometimes),
            ("digest", Text, Sometimes),
            ("trusted", Flag, Always),
        ])),
        Always,
    ),
];

/// `import`.
pub(super) const IMPORT: &[Field] = &[
    ("dry_run", Flag, Always),
    (
        "items",
        List(&Object(&[
            ("kind", Text, Always),
            ("name", Text, Always),
            ("from", Text, Always),
            ("to", Nullable(&Text), Always),
            ("notes", List(&Text), Always),
        ])),
        Always,
    ),
];

/// When somebody was heard of.
const HEARD: Shape = Object(&[("state", OneOf(Hearing::VARIANTS), Always), ("for_ms", Integer, Always)]);

/// `fleet status`.
pub(super) const FLEET: &[Field] = &[
    ("name", Text, Always),
    ("servers", List(&Text), Always),
    ("version", Text, Always),
    ("problems", List(&Text), Always),
    (
        "workers",
        List(&Object(&[
            ("worker", Text, Always),
            ("account", Nullable(&Text), Always),
            ("lanes", Integer, Always),
            ("heard", HEARD, Always),
        ])),
        Always,
    ),
    (
        "runs",
        List(&Object(&[("run", Text, Always), ("runner", Text, Always), ("heard", HEARD, Always)])),
        Always,
    ),
    (
        "lanes",
        List(&Object(&[
            ("run", Text, Always),
            ("lane", Integer, Always),
            ("worker", Text, Always),
            ("heard", HEARD, Always),
        ])),
        Always,
    ),
    (
        "queue",
        List(&Object(&[
            ("labels", List(&Text), Always),
            ("waiting", Integer, Always),
            ("pending", Integer, Always),
            ("taken", Integer, Always),
        ])),
        Always,
    ),
];
