import torch


def encode(tokens, words, positions, batch, time, columns):
    return (torch.nn.functional.embedding(tokens, words.view(-1, columns)).view(batch, time, columns) + positions.view(time, columns)).view(-1)
