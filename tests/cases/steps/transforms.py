"""Fourier transforms: complex and real, there and back, one to three axes, lengths with any factors."""
import jax.numpy as jnp
import numpy as np

X64 = True


def fn(x, z):
    results = {}
    for real, complex_ in [("float32", "complex64"), ("float64", "complex128")]:
        r, c = x.astype(real), z.astype(complex_)
        results[real] = {
            "fft": jnp.fft.fft(c), "ifft": jnp.fft.ifft(c), "fft2": jnp.fft.fft2(c), "ifftn": jnp.fft.ifftn(c),
            "fftn": jnp.fft.fftn(c), "rfft": jnp.fft.rfft(r), "rfft2": jnp.fft.rfft2(r), "rfftn": jnp.fft.rfftn(r),
            "irfft": jnp.fft.irfft(c), "irfft odd": jnp.fft.irfft(c, 7), "irfft2": jnp.fft.irfft2(c),
            "irfftn": jnp.fft.irfftn(c), "one": jnp.fft.fft(c[..., :1]), "prime": jnp.fft.rfft(r[..., :7]),
        }
    return results


def example_args():
    random = np.random.RandomState(2)
    return random.randn(3, 4, 5, 10), random.randn(3, 4, 5, 6) + 1j * random.randn(3, 4, 5, 6)
