//! The shapes of Codex's lines (0.169.0).

use crate::json::{self, Field, shape};

shape! {
    /// What a line can have.
    Line {
        kind: "type", item, message, usage, error,
    }

    /// What the agent did or said.
    Item {
        id, kind: "type", text, message, command, aggregated_output, exit_code, status, changes,
        /// Of a call of a server's tool, and of a search.
        server, tool, arguments, query,
    }

    /// A file that it changed.
    Change {
        path, kind,
    }

    #[expect(clippy::struct_field_names, reason = "so they are called in the stream")]
    /// What a turn has used; `input_tokens` has both kinds of the cache in it.
    Usage {
        input_tokens, cached_input_tokens, cache_write_input_tokens, output_tokens,
    }

    Failure {
        message,
    }
}
