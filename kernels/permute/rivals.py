def permute(x, d1, d2, d3, d4):
    return x.view(d1, d2, d3, d4).permute(3, 2, 0, 1).contiguous().view(-1)
