//! What a task does with the sessions at its places.

use std::slice;
use std::sync::Arc;

use arrow_array::{RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::ExecutionPlan as _;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use stepscope_catalog::{Catalog, Todo, Unlisted};
use stepscope_sql::{Library, Place, Question};

use crate::allowed::Allowed;

/// Opens sessions for tasks.
#[derive(Debug)]
pub struct Opener {
    /// What may be opened.
    pub allowed: Allowed,
    /// What is known of sessions without opening them.
    pub catalog: Arc<Catalog>,
}

impl Opener {
    fn library(&self, places: &[Place]) -> Result<Library> {
        let library = Library::at(places, &|path| self.allowed.check(path));
        let library = library.map_err(DataFusionError::Execution)?;
        Ok(library.with_catalog(Arc::clone(&self.catalog)))
    }
}

/// What is asked of sessions.
#[derive(Debug, Clone)]
pub enum Work {
    /// Rows of a table.
    Rows(Question),
    /// Their roll-ups, made in the folder of the executor's catalog: one row per session, with the name
    /// of its place and either what was made, as JSON, or why not.
    RollUps,
    /// What has to be known of them, or of some of their hosts, before they are read: one row per place,
    /// with its name and either what [`Library::survey`] says or why it says nothing.
    Surveys,
}

impl Work {
    /// Columns of the rows.
    ///
    /// # Errors
    ///
    /// A table, an option or a column that this version does not have.
    pub fn schema(&self) -> Result<SchemaRef> {
        match self {
            Self::Rows(question) => question.schema(),
            Self::RollUps | Self::Surveys => Ok(Arc::new(Schema::new(vec![
                Field::new("name", DataType::Utf8, false),
                Field::new("made", DataType::Utf8, true),
                Field::new("failure", DataType::Utf8, true),
            ]))),
        }
    }

    /// Does it. Waits for disks and networks.
    pub(crate) fn start(
        &self,
        opener: &Opener,
        places: &[Place],
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        match self {
            Self::Rows(question) => {
                let scan = question.scan(Arc::new(opener.library(places)?))?;
                scan.execute(0, context)
            }
            Self::RollUps | Self::Surveys => {
                let batch = self.told(opener, places);
                let rows = futures::stream::iter([batch]);
                Ok(Box::pin(RecordBatchStreamAdapter::new(
                    self.schema()?,
                    rows,
                )))
            }
        }
    }

    fn told(&self, opener: &Opener, places: &[Place]) -> Result<RecordBatch> {
        let made = places.iter().map(|place| match self {
            Self::Surveys => survey(opener, place),
            _ => roll_up(opener, place),
        });
        let made: Vec<Result<String, String>> = made.collect();
        let names = places.iter().map(|place| Some(place.name.as_str()));
        let texts = made.iter().map(|made| made.as_deref().ok());
        let failures = made.iter().map(|made| made.as_deref().err());
        Ok(RecordBatch::try_new(
            self.schema()?,
            vec![
                Arc::new(names.collect::<StringArray>()),
                Arc::new(texts.collect::<StringArray>()),
                Arc::new(failures.collect::<StringArray>()),
            ],
        )?)
    }
}

fn survey(opener: &Opener, place: &Place) -> Result<String, String> {
    let library = Library::at(slice::from_ref(place), &|path| opener.allowed.check(path))?;
    library.survey(0)
}

fn roll_up(opener: &Opener, place: &Place) -> Result<String, String> {
    let library = opener.library(slice::from_ref(place));
    let library = library.map_err(|error| error.strip_backtrace())?;
    let source = library
        .sources()
        .first()
        .ok_or("the session is not there")?;
    let made: Unlisted = opener.catalog.make_unlisted(&Todo {
        files: source.files.clone(),
        location: place.location.clone(),
    })?;
    serde_json::to_string(&made).map_err(|error| error.to_string())
}
