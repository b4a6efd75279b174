def matmul(a, b, m, n, k):
    return a.view(m, k) @ b.view(k, n)
