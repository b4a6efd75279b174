import torch
from torch.nn.functional import batch_norm, conv2d, max_pool2d, relu

# Products of float32 as float32, not of their first 10 bits.
torch.backends.cudnn.allow_tf32 = False
torch.backends.cudnn.benchmark = True


def block(x, w, mean, variance, gamma, beta, images, input, output, height, width):
    y = conv2d(x.view(images, input, height, width), w.view(output, input, 3, 3), padding=1)
    return max_pool2d(relu(batch_norm(y, mean, variance, gamma, beta, training=False, eps=1e-5)), 2)
