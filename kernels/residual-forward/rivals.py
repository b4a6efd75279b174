def residual(a, b):
    return a + b
