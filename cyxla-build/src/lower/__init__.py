"""Lowers JAX programs for the build script of a Rust package."""
