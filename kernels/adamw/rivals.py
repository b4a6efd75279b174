import struct

import torch


def as_float(value):
    return struct.unpack("f", struct.pack("f", value))[0]


# As the ladder has them.
RATE, BETA1, BETA2, EPSILON, DECAY = (as_float(value) for value in (1e-3, 0.9, 0.999, 1e-8, 0.1))
STEP = 10
steps = {}


def fused(params, grads, m, v):
    # One before: the operation counts on. It is set anew, and that is part of the time, as it is of a step of training.
    step = steps.setdefault(params.device, torch.empty((), dtype=torch.float32, device=params.device)).fill_(STEP)
    options = {"lr": RATE, "beta1": BETA1, "beta2": BETA2, "weight_decay": DECAY, "eps": EPSILON}
    torch._fused_adamw_([params], [grads], [m], [v], [], [step], amsgrad=False, maximize=False, **options)


def adamw(params, grads, m, v):
    m.copy_(BETA1 * m + (1 - BETA1) * grads)
    v.copy_(BETA2 * v + (1 - BETA2) * grads * grads)
    root = v.sqrt() * (1 - BETA2**STEP) ** -0.5 + EPSILON
    params.copy_((1 - RATE * DECAY) * params - RATE / (1 - BETA1**STEP) * m / root)
