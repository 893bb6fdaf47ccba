//! Queries in SQL, answered by a program of its own (`stepscope-sql`, see its crate): one process per
//! query, so that one that takes too much memory or time, or that nobody waits for, ends alone.

mod answer;
mod process;
mod program;
mod reports;

pub(crate) use answer::{Asking, Form, Question, Schema, answer, rows, schema};
pub use program::{
    FLEET_PROGRAM, SQL_PROGRAM, fleet_program, no_fleet_program, no_sql_program, sql_program,
};
pub(crate) use reports::{SqlReport, SqlRequest};
