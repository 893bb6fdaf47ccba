//! Plans that travel give the rows of plans that stay; a fleet answers although an executor is lost.

mod health;
mod hosts;
mod index;
mod left;
mod lost;
mod overhead;
mod plans;
mod processes;
mod rows;
mod support;
