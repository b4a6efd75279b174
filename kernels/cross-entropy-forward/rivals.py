def cross_entropy(probabilities, targets, rows, classes):
    return -probabilities.view(rows, classes).gather(1, targets.long().unsqueeze(1)).squeeze(1).log()
