use serde::{Deserialize, Serialize};

/// A JAX platform that programs are lowered for.
///
/// Source: the platforms of `jax.export`.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Platform {
    /// `cpu`: the processor of the host.
    #[default]
    Cpu,
    /// `cuda`: GPUs of NVIDIA.
    Cuda,
    /// `rocm`: GPUs of AMD.
    Rocm,
    /// `tpu`: TPUs of Google.
    Tpu,
}

impl Platform {
    /// Every one.
    pub const ALL: [Self; 4] = [Self::Cpu, Self::Cuda, Self::Rocm, Self::Tpu];

    /// Its word: `cuda`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Cuda => "cuda",
            Self::Rocm => "rocm",
            Self::Tpu => "tpu",
        }
    }
}

words! {
    Platform, "platform";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_they_are_written() {
        for platform in Platform::ALL {
            assert_eq!(platform.to_string().parse(), Ok(platform));
            let json = serde_json::to_string(&platform).unwrap();
            assert_eq!(json, format!("{:?}", platform.name()));
        }
        assert_eq!(
            "gpu".parse::<Platform>().unwrap_err().to_string(),
            "`gpu` is no platform, which are cpu, cuda, rocm, tpu"
        );
    }
}
