/** The networks that learn digits. */
import { nn, type Tensor } from "../../tensor.ts";

export type NetworkName = "mlp" | "cnn";

/** Two linear layers. */
export class Mlp extends nn.Module {
  readonly flatten: nn.Flatten = new nn.Flatten();
  readonly fc1: nn.Linear = new nn.Linear(784, 128);
  readonly fc2: nn.Linear = new nn.Linear(128, 10);

  override forward(images: Tensor): Tensor {
    return this.fc2.forward(this.fc1.forward(this.flatten.forward(images)).relu());
  }
}

/** The course's network: two convolutions with batch norms, and two linear layers. */
export class Cnn extends nn.Module {
  readonly conv1: nn.Conv2d = new nn.Conv2d(1, 32, 3, { padding: 1 });
  readonly bn1: nn.BatchNorm2d = new nn.BatchNorm2d(32);
  readonly conv2: nn.Conv2d = new nn.Conv2d(32, 64, 3, { padding: 1 });
  readonly bn2: nn.BatchNorm2d = new nn.BatchNorm2d(64);
  readonly pool: nn.MaxPool2d = new nn.MaxPool2d(2);
  readonly fc1: nn.Linear = new nn.Linear(3136, 128);
  readonly fc2: nn.Linear = new nn.Linear(128, 10);

  /** As a sequence, so that layers that are one operation together are found: it has no parameters of its own. */
  readonly #layers: nn.Sequential = new nn.Sequential(
    this.conv1,
    this.bn1,
    new nn.ReLU(),
    this.pool,
    this.conv2,
    this.bn2,
    new nn.ReLU(),
    this.pool,
    new nn.Flatten(),
    this.fc1,
    new nn.ReLU(),
    this.fc2,
  );

  override forward(images: Tensor): Tensor {
    return this.#layers.forward(images);
  }
}

export function networkOf(name: NetworkName): nn.Module & { forward(images: Tensor): Tensor } {
  return name === "mlp" ? new Mlp() : new Cnn();
}
