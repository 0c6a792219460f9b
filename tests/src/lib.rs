//! What the workspace is tested with beside ordinary tests: the case runner, [`cases`].

#![forbid(unsafe_code)]

pub mod cases;
