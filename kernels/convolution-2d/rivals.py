import torch
from torch.nn.functional import conv2d

# Products of float32 as float32, not of their first 10 bits.
torch.backends.cudnn.allow_tf32 = False
torch.backends.cudnn.benchmark = True


def convolution(x, w, images, input, output, height, width):
    return conv2d(x.view(images, input, height, width), w.view(output, input, 3, 3), padding=1)
