//! The engine as command lines name it.

use cyxla::Engine;

/// One of the two that run programs.
///
/// # Errors
/// The mistake, if the word names none.
pub fn named(word: &str) -> Result<Engine, String> {
    let engine = word.parse().ok();
    let engine = engine.filter(|&engine| matches!(engine, Engine::Pjrt | Engine::Native));
    engine.ok_or_else(|| format!("there is no engine `{word}`, only `pjrt` and `native`"))
}
