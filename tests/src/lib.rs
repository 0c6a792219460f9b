//! What the workspace is tested with beside ordinary tests: the case runner, [`cases`], and what calls and
//! linear algebra cost beside rivals: [`calls`], [`linalg`].

#![deny(unsafe_code)]

pub mod calls;
pub mod cases;
pub mod engine;
pub mod linalg;
pub mod measure;
