/// Bytes that are no image, or one that contradicts itself.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImageError {
    /// The bytes are of something else.
    #[error("this is no image of a program\n  help: build the program again")]
    NoImage,
    /// The image was written by another version of cyxla.
    #[error(
        "the image has version {found}, this version of cyxla reads version {VERSION}\n  \
         help: use the same version of cyxla and cyxla-build, and build again",
        VERSION = super::VERSION
    )]
    Version {
        /// Its version.
        found: u32,
    },
    /// The bytes are not those that were written.
    #[error("the image is damaged: its checksum is wrong\n  help: build the program again")]
    Checksum,
    /// The bytes don't hold what their version should.
    #[error("the image is damaged: {what} at byte {offset}\n  help: build the program again")]
    Malformed {
        /// What is wrong.
        what: &'static str,
        /// Where, from the first byte.
        offset: usize,
    },
    /// The image contradicts itself.
    #[error("the image contradicts itself: {reason}\n  help: report this, with the program")]
    Inconsistent {
        /// The contradiction.
        reason: String,
    },
}
