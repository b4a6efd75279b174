import torch


def encode(tokens, words, positions, batch, time, columns):
    rows = torch.nn.functional.embedding(tokens, words.view(-1, columns)).view(batch, time, columns)
    return (rows + positions.view(time, columns)).view(-1)
