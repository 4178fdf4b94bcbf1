//! What a report says, for whoever renders it in another form: questions with their answers, and tables. Text and Markdown are made of
//! the same.

pub use crate::document::report::{
    Column, Part, ReportAnswer, Row, Sheet, Table, foreign, look, name, own, tables,
};
pub use crate::words::verdict;
