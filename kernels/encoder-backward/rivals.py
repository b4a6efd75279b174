def backward(words, positions, dout, tokens, batch, time, columns):
    words.view(-1, columns).index_add_(0, tokens, dout.view(-1, columns))
    positions.view(time, columns).add_(dout.view(batch, time, columns).sum(0))
