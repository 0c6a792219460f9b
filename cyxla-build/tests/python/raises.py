SCALES = {"a": 1.0}


def scale(name):
    return SCALES[name]


SCALE = scale("b")
