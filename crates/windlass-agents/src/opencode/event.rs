//! The shapes of opencode's lines (1.18.33).

use crate::json::{self, Field, shape};

shape! {
    /// What a line can have.
    Line {
        kind: "type", part, error,
    }

    /// A piece of a message.
    Part {
        id, message_id: "messageID", text,
        /// It was put there by the program.
        synthetic,
        reason, tokens, cost,
        /// Of a call of a tool, which is told when it is over.
        tool, call_id: "callID", state,
    }

    /// How a call of a tool went.
    State {
        status, input, output, error,
    }

    Used {
        input, output, reasoning, cache,
    }

    Cache {
        read, write,
    }

    Failure {
        name, data,
    }

    FailureData {
        message, status_code: "statusCode",
    }

    /// What tools are given.
    Input {
        command, description, file_path: "filePath", old_string: "oldString", new_string: "newString",
        replace_all: "replaceAll", content, pattern, path, offset, limit,
    }
}
