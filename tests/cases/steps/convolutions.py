"""Convolutions: one to three axes, strides, padding, dilation, groups, orders of axes, gradients."""
import jax
import numpy as np
from jax import lax

X64 = True


def fn(line, plane, kernel, image, room):
    def conv(x, k, strides, padding, dims, **options):
        return lax.conv_general_dilated(x, k, strides, padding, dimension_numbers=dims, **options)

    nhwc = ("NHWC", "HWIO", "NHWC")
    results = {
        "1": conv(line, line[:, :, :3], (1,), "SAME", ("NCH", "OIH", "NCH")),
        "2 same": conv(plane, kernel, (1, 1), "SAME", nhwc),
        "2 strided": conv(plane, kernel, (2, 3), "VALID", nhwc),
        "2 padded": conv(plane, kernel, (1, 2), [(3, 0), (1, 4)], nhwc),
        "2 cut": conv(plane, kernel, (1, 1), [(-1, 2), (0, -2)], nhwc),
        "2 dilated": conv(plane, kernel, (1, 1), "SAME", nhwc, rhs_dilation=(2, 1)),
        "2 spread": conv(plane, kernel, (1, 1), [(1, 1), (2, 0)], nhwc, lhs_dilation=(2, 2)),
        "2 groups": conv(plane, kernel[:, :, :1], (1, 1), "SAME", nhwc, feature_group_count=4),
        "2 nchw": conv(image, image[:2, :, :3, :2], (1, 1), "SAME", ("NCHW", "OIHW", "NCHW")),
        "3": conv(room, room[:, :, :2, :2, :2], (1, 1, 1), "SAME", ("NCDHW", "OIDHW", "NCDHW")),
        "f64": conv(plane.astype("float64"), kernel.astype("float64"), (1, 1), "SAME", nhwc),
        "bf16": conv(plane.astype("bfloat16"), kernel.astype("bfloat16"), (1, 1), "SAME", nhwc),
        "f16": conv(plane.astype("float16"), kernel.astype("float16"), (1, 1), "SAME", nhwc),
    }
    loss = lambda x, k: (conv(x, k, (2, 1), "SAME", nhwc) ** 2).sum()
    results["gradients"] = jax.grad(loss, (0, 1))(plane, kernel)
    return results


def example_args():
    random = np.random.RandomState(1)
    array = lambda *shape: random.randn(*shape).astype(np.float32)
    return array(2, 2, 12), array(2, 9, 11, 4), array(3, 2, 4, 8), array(2, 3, 8, 7), array(2, 2, 5, 6, 4)
