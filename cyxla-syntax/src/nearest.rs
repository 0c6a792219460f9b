/// Names for a message, those first that a misspelt `name` most likely means.
pub(crate) fn nearest_first(name: &str, mut known: Vec<String>) -> Vec<String> {
    known.sort_by_key(|other| distance(name, other));
    known
}

/// The number of characters to insert, remove or replace: Levenshtein's distance.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, character) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, other) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(character != *other);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_numbers_of_edits() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("state", "state"), 0);
    }

    #[test]
    fn the_nearest_comes_first_and_equals_keep_their_order() {
        let known = ["step", "gain", "state"].map(str::to_owned).to_vec();
        assert_eq!(nearest_first("stat", known), ["state", "step", "gain"]);
    }
}
