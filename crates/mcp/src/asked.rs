//! Arguments of tools: from JSON to the options of analyses, and schemas from their declarations.

use clap::{Command, FromArgMatches as _};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use stepscope_analysis::asking::Selection;
use stepscope_analysis::{Analysis, AnalysisError, Declaration, find};

use crate::page::Next;
use crate::roots::Refusal;
use crate::tables::Columns;

/// Arguments that every answer with tables takes.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Shape {
    /// Only this table of the answer, with all its rows.
    pub(crate) table: Option<String>,
    /// Columns to show, by key; `["all"]` for all. Needs `table`, unless the answer has one table.
    pub(crate) columns: Vec<String>,
    /// Where an earlier answer to the same call ended.
    pub(crate) cursor: Option<String>,
}

impl Shape {
    pub(crate) fn columns(&self) -> Columns {
        match self.columns.as_slice() {
            [] => Columns::Essential,
            [all] if all == "all" => Columns::All,
            names => Columns::Named(names.to_vec()),
        }
    }
}

/// Options of an analysis, by name. Numbers and flags may be given as such, several values as a list.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Options(Map<String, Value>);

impl JsonSchema for Options {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Options".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let mut schema = schemars::Schema::default();
        schema.insert("type".to_owned(), json!("object"));
        schema.insert("properties".to_owned(), selection());
        schema
    }
}

/// The options that most analyses have.
fn selection() -> Value {
    let command = <Selection as clap::Args>::augment_args(Command::new("selection"));
    let options = command.get_arguments().filter_map(|argument| {
        let help = argument.get_help().map(ToString::to_string);
        let schema = json!({ "description": help.unwrap_or_default() });
        Some((argument.get_long()?.to_owned(), schema))
    });
    Value::Object(options.collect())
}

impl Options {
    /// Names and values, as one parser takes them on every surface.
    pub(crate) fn pairs(&self) -> Result<Vec<(String, String)>, Refusal> {
        let mut pairs = Vec::new();
        for (name, value) in &self.0 {
            let name = name.trim_start_matches("--").replace('_', "-");
            let values = match value {
                Value::Array(values) => values.as_slice(),
                one => std::slice::from_ref(one),
            };
            for value in values {
                let text = match value {
                    Value::Null => continue,
                    Value::String(text) if text.is_empty() => continue,
                    Value::String(text) => text.clone(),
                    Value::Bool(_) | Value::Number(_) => value.to_string(),
                    Value::Array(_) | Value::Object(_) => {
                        return Err(Refusal::new(format!(
                            "The option {name:?} must be text, a number, a flag or a list of these."
                        )));
                    }
                };
                pairs.push((name.clone(), text));
            }
        }
        Ok(pairs)
    }

    /// The options as they were given.
    pub(crate) fn given(&self) -> &Map<String, Value> {
        &self.0
    }
}

/// The options of a question, by name.
pub(crate) fn options_of(declaration: &Declaration) -> Vec<String> {
    let command = declaration.command();
    let names = command.get_arguments().filter_map(clap::Arg::get_long);
    names.map(str::to_owned).collect()
}

/// The options that not every analysis has.
pub(crate) fn own_options(declaration: &Declaration) -> Vec<String> {
    let all = <Selection as clap::Args>::augment_args(Command::new("selection"));
    let is_shared = |name: &String| all.get_arguments().any(|one| one.get_long() == Some(name));
    let own = options_of(declaration).into_iter();
    own.filter(|name| !is_shared(name)).collect()
}

/// The options of an analysis with a known report, from names and values.
///
/// # Errors
///
/// An option is unknown, or its value is wrong.
pub(crate) fn options<A: Analysis>(
    pairs: &[(String, String)],
) -> Result<A::Options, AnalysisError> {
    let entry = find(A::NAME).ok_or_else(|| AnalysisError::Internal(A::NAME.to_owned()))?;
    let given = pairs.iter().map(|(name, value)| (&**name, &**value));
    let matches = entry.matches(given)?;
    A::Options::from_arg_matches(&matches)
        .map_err(|error| AnalysisError::Options(error.to_string()))
}

/// The arguments of a tool.
pub(crate) fn read<T: DeserializeOwned>(arguments: Map<String, Value>) -> Result<T, Refusal> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| Refusal::new(format!("Wrong arguments: {error}.")))
}

/// The schema of a tool's arguments.
pub(crate) fn schema<T: JsonSchema>() -> Map<String, Value> {
    let schema = schemars::generate::SchemaSettings::draft2020_12()
        .with(|settings| settings.inline_subschemas = true)
        .into_generator()
        .into_root_schema_for::<T>();
    let mut schema = schema.as_object().cloned().unwrap_or_default();
    schema.remove("$schema");
    schema.remove("title");
    schema
}

/// Why an analysis has no answer, for a session with this handle.
pub(crate) fn refused(error: AnalysisError, declaration: &Declaration, session: &str) -> Refusal {
    let about = |analysis: &str, why: &str| {
        Next::new("ask", &[("session", session), ("analysis", analysis)], why)
    };
    let whole = about(declaration.name, "the same of the whole session");
    match error {
        AnalysisError::Options(text) => {
            let first = text.lines().next().unwrap_or_default();
            let names = options_of(declaration).join(", ");
            Refusal::new(first.trim_start_matches("error: "))
                .hint(format!("{} takes the options {names}.", declaration.name))
                .next(whole)
        }
        AnalysisError::NothingSelected { .. } => Refusal::new(error.to_string())
            .hint("Widen the selection, or choose one of the available ones.")
            .next(whole),
        AnalysisError::NoEvents { .. } => Refusal::new(error.to_string())
            .next(about("heap", "what was alive, and who allocated it")),
        AnalysisError::NeverRan { .. } => Refusal::new(error.to_string())
            .next(about("buffers", "the memory that the programs use"))
            .next(about("graph", "what the programs compute")),
        AnalysisError::TooFewSessions { .. } => Refusal::new(error.to_string())
            .hint("Name several sessions, the baseline first.")
            .next(Next::new("sessions", &[], "the handles of all sessions")),
        AnalysisError::OfSession {
            session: name,
            source,
        } => {
            let mut of_one = refused(*source, declaration, session);
            of_one.error = format!("{name}: {}", of_one.error);
            of_one
        }
        AnalysisError::Changed(_) => Refusal::new(error.to_string())
            .hint(AnalysisError::REOPEN)
            .next(Next::new(
                "report",
                &[("session", session)],
                "the session as it is now",
            )),
        _ => Refusal::new(error.to_string()).next(Next::new(
            "report",
            &[("session", session)],
            "what the session says otherwise",
        )),
    }
}
