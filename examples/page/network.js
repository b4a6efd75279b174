// A network of two layers that learns to read digits.
import { data, functional, nn, optim } from "../../dist/page/tensor.js";

class Network extends nn.Module {
  constructor() {
    super();
    this.hidden = new nn.Linear(784, 64);
    this.output = new nn.Linear(64, 10);
  }

  forward(images) {
    return this.output.forward(this.hidden.forward(images).relu());
  }
}

/**
 * Trains the network, and yields after each step: the page may then draw.
 *
 * @param images a byte a pixel, 784 an image
 * @param labels the digit of each image
 */
export function* train(torch, images, labels, { epochs = 3, batchSize = 60, lr = 0.1 } = {}) {
  torch.manualSeed(1);
  const network = new Network();
  const optimizer = new optim.SGD(network.parameters(), { lr, momentum: 0.9 });
  const pixels = torch.tensor(images).view(-1, 784).float().div(255);
  const digits = torch.tensor(labels).long();
  const loader = new data.DataLoader(new data.TensorDataset(pixels, digits), { batchSize, shuffle: true, torch });
  for (let epoch = 1; epoch <= epochs; epoch++) {
    for (const [x, y] of loader) {
      optimizer.zeroGrad();
      const loss = functional.crossEntropy(network.forward(x), y);
      loss.backward();
      optimizer.step();
      yield { epoch, loss: loss.item() };
    }
  }
  const right = torch.noGrad(() => network.forward(pixels).argmax(1).eq(digits).sum().item());
  yield { epoch: epochs, accuracy: right / labels.length };
}
