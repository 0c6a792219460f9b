//! Loads the shared library of a plugin.
