//! `CompileOptionsProto`, what `PJRT_Client_Compile` wants beside a program.
//!
//! Only the fields that are set are declared; a plugin fills in the others.
//!
//! Source: `xla/pjrt/proto/compile_options.proto`.

use std::sync::OnceLock;

use prost::Message as _;

#[derive(Clone, PartialEq, prost::Message)]
struct CompileOptionsProto {
    #[prost(message, optional, tag = "3")]
    executable_build_options: Option<ExecutableBuildOptionsProto>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct ExecutableBuildOptionsProto {
    #[prost(int64, tag = "4")]
    num_replicas: i64,
    #[prost(int64, tag = "5")]
    num_partitions: i64,
    #[prost(bool, tag = "19")]
    use_shardy_partitioner: bool,
}

/// The compile options that every program is compiled with, as a serialized `CompileOptionsProto`: one replica, one
/// partition, the Shardy partitioner.
///
/// XLA's own defaults won't do: with zero replicas or partitions it ends the process, and without Shardy it refuses the
/// `sdy` operations that JAX puts into programs with random numbers or shardings.
///
/// Source: `compile_options` of the Python package.
pub fn compile_options() -> &'static [u8] {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    BYTES.get_or_init(|| {
        let options = ExecutableBuildOptionsProto {
            num_replicas: 1,
            num_partitions: 1,
            use_shardy_partitioner: true,
        };
        CompileOptionsProto {
            executable_build_options: Some(options),
        }
        .encode_to_vec()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_are_those_of_the_wire_format() {
        // A field is its number · 8 + its wire type, then its value. The wire type of a message is 2, of a number 0.
        let expected = [
            3 << 3 | 2, // executable_build_options,
            7,          // of seven bytes:
            4 << 3,     // num_replicas
            1,
            5 << 3, // num_partitions
            1,
            // use_shardy_partitioner: 19 · 8 = 152 is 0x98 0x01 as a varint.
            0x98,
            0x01,
            1,
        ];
        assert_eq!(compile_options(), expected);
    }

    #[test]
    fn they_begin_like_the_smallest_ones_that_plugins_take() {
        // 1a 04 20 01 28 01: one replica, one partition and nothing else.
        let smallest = [0x1a, 0x04, 0x20, 0x01, 0x28, 0x01];
        assert_eq!(compile_options()[0], smallest[0]);
        assert_eq!(compile_options()[2..6], smallest[2..]);
    }

    #[test]
    fn they_are_built_once() {
        assert!(std::ptr::eq(compile_options(), compile_options()));
    }
}
