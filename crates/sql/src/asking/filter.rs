//! A filter of a query that is applied before rows are made.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, SchemaRef};
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
            _ if is_column(left, column) => bound(*op, number(right)),
            _ if is_column(right, column) => {
                bound(op.swap().unwrap_or(Operator::NotEq), number(left))
            }
            _ => ALL,
        },
        Expr::Between(between) if !between.negated && is_column(&between.expr, column) => {
            match (number(&between.low), number(&between.high)) {
                (Some(low), Some(high)) => (low, high),
                _ => ALL,
            }
        }
        _ => ALL,
    }
}

fn is_column(expression: &Expr, column: &str) -> bool {
    matches!(expression, Expr::Column(own) if own.name == column)
}

fn number(expression: &Expr) -> Option<i64> {
    match expression {
        Expr::Literal(ScalarValue::Int64(value), _) => *value,
        _ => None,
    }
}

fn bound(operator: Operator, number: Option<i64>) -> (i64, i64) {
    let Some(number) = number else {
        return ALL;
    };
    match operator {
        Operator::Eq => (number, number),
        Operator::Gt => (number.saturating_add(1), i64::MAX),
        Operator::GtEq => (number, i64::MAX),
        Operator::Lt => (i64::MIN, number.saturating_sub(1)),
        Operator::LtEq => (i64::MIN, number),
        _ => ALL,
    }
}

/// An error of Arrow as one of the engine.
pub(crate) fn external(error: ArrowError) -> DataFusionError {
    DataFusionError::ArrowError(Box::new(error), None)
}
