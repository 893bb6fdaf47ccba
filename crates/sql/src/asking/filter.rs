//! A filter of a query that is applied before rows are made.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use datafusion::common::tree_node::{Transformed, TreeNode as _};
use datafusion::common::{Column, DFSchema};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::context::ExecutionProps;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};
use datafusion::physical_expr::{PhysicalExpr, create_physical_expr};
use datafusion::scalar::ScalarValue;

/// A condition on columns.
#[derive(Debug, Clone)]
pub(crate) struct Filter {
    expression: Expr,
    columns: Vec<String>,
}

impl Filter {
    pub(crate) fn of(expression: &Expr) -> Self {
        let columns = expression.column_refs();
        let mut columns: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
        columns.sort();
        columns.dedup();
        Self {
            expression: expression.clone(),
            columns,
        }
    }

    /// The condition.
    pub(crate) fn expression(&self) -> &Expr {
        &self.expression
    }

    /// Whether it can be evaluated without the plan: it asks no other query.
    pub(crate) fn is_alone(&self) -> bool {
        let asks = |expression: &Expr| {
            let asks = matches!(
                expression,
                Expr::ScalarSubquery(_) | Expr::InSubquery(_) | Expr::Exists(_)
            );
            Ok(asks)
        };
        !self.expression.exists(asks).unwrap_or(true) && !self.expression.is_volatile()
    }

    /// Whether it is about this column.
    pub(crate) fn names(&self, column: &str) -> bool {
        self.columns.iter().any(|own| own == column)
    }

    /// Whether all it needs are some of these columns.
    pub(crate) fn needs_only(&self, columns: &[&str]) -> bool {
        !self.columns.is_empty()
            && self
                .columns
                .iter()
                .all(|own| columns.contains(&own.as_str()))
    }

    /// For each row, whether it is kept: a column of booleans.
    pub(crate) fn evaluate(&self, rows: &RecordBatch) -> Result<ArrayRef, ArrowError> {
        let inner = || -> Result<ArrayRef> {
            let condition = self.compiled(&rows.schema())?;
            condition.evaluate(rows)?.into_array(rows.num_rows())
        };
        inner().map_err(|error| ArrowError::ExternalError(Box::new(error)))
    }

    fn compiled(&self, schema: &SchemaRef) -> Result<Arc<dyn PhysicalExpr>> {
        let schema = DFSchema::from_unqualified_fields(schema.fields().clone(), HashMap::new())?;
        // Table names are those of the query; the rows have none.
        let bare = self.expression.clone().transform(|expression| {
            Ok(match expression {
                Expr::Column(column) => {
                    Transformed::yes(Expr::Column(Column::new_unqualified(column.name)))
                }
                other => Transformed::no(other),
            })
        })?;
        let (properties, planning) = (ExecutionProps::new(), PhysicalPlanningContext::default());
        create_physical_expr(&bare.data, &schema, &properties, &planning)
    }

    /// The values of a column that it allows, as an inclusive range; the widest if it says nothing.
    pub(crate) fn range(&self, column: &str) -> (i64, i64) {
        range_of(&self.expression, column)
    }
}

const ALL: (i64, i64) = (i64::MIN, i64::MAX);

fn range_of(expression: &Expr, column: &str) -> (i64, i64) {
    match expression {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => match op {
            Operator::And => {
                let (one, other) = (range_of(left, column), range_of(right, column));
                (one.0.max(other.0), one.1.min(other.1))
            }
            Operator::Or => {
                let (one, other) = (range_of(left, column), range_of(right, column));
                (one.0.min(other.0), one.1.max(other.1))
            }
            _ if is_column(left, column) => bound(*op, number(right)),
            _ if is_column(right, column) => {
                bound(op.swap().unwrap_or(Operator::NotEq), number(left))
            }
            _ => ALL,
        },
        Expr::Between(between) if !between.negated && is_column(&between.expr, column) => {
            match (number(&between.low), number(&between.high)) {
                (Some(low), Some(high)) => (low.0, high.1),
                _ => ALL,
            }
        }
        _ => ALL,
    }
}

/// Whether it is the column, or the column as a floating-point number, as when it is compared with one.
fn is_column(expression: &Expr, column: &str) -> bool {
    match expression {
        Expr::Column(own) => own.name == column,
        Expr::Cast(cast) => {
            cast.field.data_type() == &DataType::Float64 && is_column(&cast.expr, column)
        }
        _ => false,
    }
}

/// The integers that a literal may be equal to, as an inclusive range.
fn number(expression: &Expr) -> Option<(i64, i64)> {
    match expression {
        Expr::Literal(ScalarValue::Int64(Some(value)), _) => Some((*value, *value)),
        Expr::Literal(ScalarValue::Float64(Some(value)), _) if value.is_finite() => {
            // Large integers become the nearest number, which is off by less than this share.
            let off = value.abs() * f64::EPSILON;
            #[expect(
                clippy::cast_possible_truncation,
                reason = "beyond all integers, the last one is meant"
            )]
            let range = ((value - off).floor() as i64, (value + off).ceil() as i64);
            Some(range)
        }
        _ => None,
    }
}

/// The integers that compare so with one of these.
fn bound(operator: Operator, number: Option<(i64, i64)>) -> (i64, i64) {
    let Some((low, high)) = number else {
        return ALL;
    };
    let is_exact = low == high;
    match operator {
        Operator::Eq => (low, high),
        Operator::Gt if is_exact => (low.saturating_add(1), i64::MAX),
        Operator::Lt if is_exact => (i64::MIN, high.saturating_sub(1)),
        Operator::Gt | Operator::GtEq => (low, i64::MAX),
        Operator::Lt | Operator::LtEq => (i64::MIN, high),
        _ => ALL,
    }
}

/// An error of Arrow as one of the engine.
pub(crate) fn external(error: ArrowError) -> DataFusionError {
    DataFusionError::ArrowError(Box::new(error), None)
}
