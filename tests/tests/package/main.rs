//! Packages of users, built by a real Cargo with a real JAX, from a change of their files to what their binaries print.
//!
//! Each test has a package and a target directory of its own, so that they run side by side.

#![allow(clippy::unwrap_used, reason = "tests")]

mod cargo;
mod committed;
mod freshness;
mod interrupted;
mod mistakes;
mod project;
mod targets;
