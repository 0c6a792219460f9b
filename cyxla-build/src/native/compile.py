"""Compiles programs to machine code: the path of a request in JSON in, the path of an answer in JSON out.

For one level of instructions, which XLA takes from XLA_FLAGS, once for a process. No code of the user runs here.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from typing import Any

# Fusions that XLA gives to libraries of kernels, which are no machine code of the program. Not every jaxlib has each.
OPTIONS: dict[str, Any] = {
    "xla_cpu_experimental_ynn_fusion_type": "",
    "xla_cpu_experimental_xnn_fusion_type": "",
    "xla_cpu_use_xnnpack": False,
    "xla_cpu_experimental_onednn_fusion_type": "",
    "xla_cpu_experimental_onednn_custom_call": False,
    "xla_cpu_use_onednn": False,
}
FIXED = "CYXLA_FIXED_ADDRESSES"


def fix_addresses() -> None:
    """Starts this process again, with everything at the same addresses each time.

    XLA goes through tables that are ordered by addresses; the arguments of kernels come in that order. What other threads
    do still changes some.
    """
    if not sys.platform.startswith("linux") or os.environ.get(FIXED):
        return
    os.environ[FIXED] = "1"
    no_randomization = 0x0040000
    personality = getattr(ctypes.CDLL(None), "personality", None)
    if personality is not None and personality(ctypes.c_ulong(no_randomization)) != -1:
        os.execv(sys.executable, [sys.executable, "-B", *sys.argv])


def main() -> None:
    fix_addresses()
    with open(sys.argv[1], encoding="utf-8") as file:
        request = json.load(file)
    answer = _answer(request)
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        json.dump(answer, file)


def _answer(request: dict[str, Any]) -> list[str | None]:
    """For each program why it was not compiled, or nothing."""
    try:
        compiler = Compiler()
    except Exception as error:
        reason = f"this jaxlib can't be asked to compile it: {described(error)}"
        return [reason for _ in request["programs"]]
    answers: list[str | None] = []
    for program in request["programs"]:
        try:
            compiler.know(program["custom_calls"])
            with open(program["code"], "rb") as file:
                code = file.read()
            executable = compiler.compiled(code)
            with open(program["executable"], "wb") as file:
                file.write(executable)
            answers.append(None)
        except Exception as error:
            answers.append(f"jaxlib can't compile it ahead of time: {described(error)}")
    return answers


def described(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else 'without a reason'}"


class Compiler:
    """The client of jaxlib for the CPU, which compiles and serializes like a CPU plugin."""

    def __init__(self) -> None:
        import jax  # noqa: F401
        from jax._src import xla_bridge
        from jax._src.lib import xla_client

        # None of it is public: JAX compiles what it traced itself, not what was lowered before.
        self.xla_client = xla_client
        self.client = xla_bridge.get_backend("cpu")
        self.options = dict(OPTIONS)
        self.known: set[str] = set()

    def compiled(self, code: bytes) -> bytes:
        """The serialized executable of a program in StableHLO."""
        while True:
            options = self.xla_client.CompileOptions()
            options.num_replicas = 1
            options.num_partitions = 1
            options.executable_build_options.use_shardy_partitioner = True
            options.env_option_overrides = list(self.options.items())
            try:
                executable = self.client.compile_and_load(code, self._devices(), options)
            except Exception as error:
                unknown = [name for name in self.options if f"'{name}'" in str(error)]
                if not unknown or "No such compile option" not in str(error):
                    raise
                for name in unknown:
                    del self.options[name]
                continue
            if hasattr(self.client, "serialize_executable"):
                return self.client.serialize_executable(executable)
            return executable.serialize()

    def _devices(self) -> Any:
        return self.xla_client.DeviceList(tuple(self.client.local_devices()[:1]))

    def know(self, targets: list[str]) -> None:
        """Makes handlers known that only exist at run time: XLA asks whether they are there."""
        import jax

        for target in targets:
            if target not in self.known:
                self.known.add(target)
                jax.ffi.register_ffi_target(target, jax.ffi.pycapsule(_handler), platform="cpu", api_version=1)


class _Version(ctypes.Structure):
    # XLA_FFI_Api_Version of xla/ffi/api/c_api.h.
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("major_version", ctypes.c_int),
        ("minor_version", ctypes.c_int),
    ]


class _Api(ctypes.Structure):
    # The beginning of XLA_FFI_Api.
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("api_version", _Version),
    ]


class _Metadata(ctypes.Structure):
    # The beginning of XLA_FFI_Metadata.
    _fields_ = [("struct_size", ctypes.c_size_t), ("api_version", _Version)]


class _Extension(ctypes.Structure):
    # XLA_FFI_Metadata_Extension, which begins with XLA_FFI_Extension_Base.
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("type", ctypes.c_int),
        ("next", ctypes.c_void_p),
        ("metadata", ctypes.POINTER(_Metadata)),
    ]


class _Frame(ctypes.Structure):
    # The beginning of XLA_FFI_CallFrame.
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.POINTER(_Extension)),
        ("api", ctypes.POINTER(_Api)),
    ]


@ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(_Frame))
def _handler(frame: Any) -> None:
    """Answers XLA's question for the version of a handler; it is never called for anything else."""
    metadata_extension = 1
    extension = frame.contents.extension_start
    if extension and extension.contents.type == metadata_extension:
        version = frame.contents.api.contents.api_version
        answer = extension.contents.metadata.contents.api_version
        answer.major_version = version.major_version
        answer.minor_version = version.minor_version


if __name__ == "__main__":
    main()
