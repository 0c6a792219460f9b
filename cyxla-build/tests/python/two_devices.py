"""A program for two devices. Must be imported before JAX looks for devices."""

import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"

import jax
from jax.sharding import Mesh, NamedSharding, PartitionSpec


def split(x):
    mesh = Mesh(jax.devices(), ("half",))
    return jax.lax.with_sharding_constraint(x * 2, NamedSharding(mesh, PartitionSpec("half")))
