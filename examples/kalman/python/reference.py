"""What JAX itself makes of the track: `python python/reference.py` prints the numbers that `src/tests.rs` expects."""

import pathlib

import jax
import jax.numpy as jnp
import numpy as np

import kalman

jax.config.update("jax_enable_x64", True)

track = np.loadtxt(pathlib.Path(__file__).parents[1] / "track.csv", delimiter=",", skiprows=1)
mean, covariance = jnp.zeros(4), jnp.diag(jnp.array([1e6, 1e6, 400.0, 400.0]))
means, covariances, likelihood = [], [], 0.0
for position in track[:, 1:]:
    mean, covariance, log_density = jax.jit(kalman.step)(mean, covariance, position)
    means.append(mean)
    covariances.append(covariance)
    likelihood += log_density
smoothed = jax.jit(kalman.smooth)(jnp.stack(means), jnp.stack(covariances))

print("jax", jax.__version__)
print("log likelihood", likelihood)
for second in [0, 1, 60, 120]:
    print(f"filtered {second}", means[second].tolist())
for second in [0, 60, 119]:
    print(f"smoothed {second}", smoothed[second].tolist())
t = track[:, 0]
truth = np.stack([5 * t, 60 * np.sin(2 * np.pi * t / 120)], 1)
for name, found in [("measured", track[:, 1:]), ("filtered", np.stack(means)[:, :2]), ("smoothed", smoothed[:, :2])]:
    print(name, np.sqrt(np.mean(np.sum((found - truth) ** 2, 1))), "m")
print("last covariance", covariances[-1].tolist())
