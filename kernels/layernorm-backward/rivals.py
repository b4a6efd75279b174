def backward(dinp, dweight, dbias, dout, inp, weight, mean, rstd, rows, columns):
    d = dout.view(rows, columns).float()
    scale = rstd.unsqueeze(1)
    normalized = (inp.view(rows, columns).float() - mean.unsqueeze(1)) * scale
    scaled = d * weight.float()
    inner = scaled - scaled.mean(1, keepdim=True) - normalized * (scaled * normalized).mean(1, keepdim=True)
    dinp.copy_((dinp.view(rows, columns).float() + inner * scale).view(-1))
    dweight.copy_(dweight.float() + (d * normalized).sum(0))
    dbias.copy_(dbias.float() + d.sum(0))
