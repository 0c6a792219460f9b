//! Which tensor of a file is which weights of a program.

/// The tensor for the weights at `path`, among those that a file names.
///
/// `params['dense']['w']` is `params.dense.w`, `params/dense/w`, or the same without the parameter, `dense.w`.
pub(super) fn matching<'a>(
    path: &str,
    names: &(impl Iterator<Item = &'a str> + Clone),
) -> Option<&'a str> {
    let wanted = segments(path);
    let is_whole = |name: &&str| segments(name) == wanted;
    let is_below = |name: &&str| wanted.len() > 1 && segments(name) == wanted[1..];
    let mut exact = names.clone().filter(|name| *name == path);
    exact
        .next()
        .or_else(|| names.clone().find(is_whole))
        .or_else(|| names.clone().find(is_below))
}

/// The keys of a path, as JAX or as files write it.
fn segments(path: &str) -> Vec<&str> {
    let parts = path.split(['.', '/', '[', ']', '\'', '"']);
    parts.filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, names: &[&'static str]) -> Option<&'static str> {
        matching(path, &names.iter().copied())
    }

    #[test]
    fn tensors_are_found_by_the_keys_of_the_path() {
        let path = "params['dense'][0].w";
        for name in [
            "params['dense'][0].w",
            "params.dense.0.w",
            "dense.0.w",
            "dense/0/w",
        ] {
            assert_eq!(found(path, &["b", name]), Some(name));
        }
        assert_eq!(found(path, &["w", "dense.1.w", "other.dense.0.w"]), None);
        assert_eq!(found("w", &["w"]), Some("w"));
    }

    #[test]
    fn the_name_with_the_parameter_comes_first() {
        assert_eq!(found("a['w']", &["w", "a.w"]), Some("a.w"));
        assert_eq!(found("a['w']", &["a.w", "a['w']"]), Some("a['w']"));
    }
}
