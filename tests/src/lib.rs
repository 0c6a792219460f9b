//! What the workspace is tested with beside ordinary tests: the case runner, [`cases`], and what calls cost,
//! [`calls`].

#![forbid(unsafe_code)]

pub mod calls;
pub mod cases;
