#!/usr/bin/env bash
# Compares the results of the binary `gpu` on a GPU of NVIDIA with those on the processor. Needs a driver for CUDA 13 and Python
# with venv, and no Rust: carry the binary over.
#
#   check.sh PATH/TO/gpu
#
# Where VIRTUAL_ENV is set, the plugins are those of that environment; else one is made beside this script.
set -euo pipefail

binary=$(realpath "${1:?give the path of the binary gpu}")
if [ -z "${VIRTUAL_ENV:-}" ]; then
    VIRTUAL_ENV=$(cd "$(dirname "$0")" && pwd)/plugins
    export VIRTUAL_ENV
    if [ ! -e "$VIRTUAL_ENV/complete" ]; then
        python3 -m venv --clear "$VIRTUAL_ENV"
        # Without the Python side: only libraries are loaded.
        "$VIRTUAL_ENV/bin/pip" install --quiet 'jax-cuda13-plugin[with-cuda]' lammps-jax-pjrt-cpu
        touch "$VIRTUAL_ENV/complete"
    fi
fi

# A GPU that others use too has no memory to be taken ahead. A cache of its own shows that a second start loads.
export XLA_PYTHON_CLIENT_PREALLOCATE=false
CYXLA_CACHE_DIR=$(mktemp -d)
export CYXLA_CACHE_DIR
trap 'rm -rf "$CYXLA_CACHE_DIR"' EXIT

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader || true
timeout 300 "$binary" compare
echo "again, from the cache"
timeout 300 "$binary" compare
