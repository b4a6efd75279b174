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

  override forward(images: Tensor): Tensor {
    const first = this.pool.forward(this.bn1.forward(this.conv1.forward(images)).relu());
    const second = this.pool.forward(this.bn2.forward(this.conv2.forward(first)).relu());
    return this.fc2.forward(this.fc1.forward(second.flatten(1)).relu());
  }
}

export function networkOf(name: NetworkName): nn.Module & { forward(images: Tensor): Tensor } {
  return name === "mlp" ? new Mlp() : new Cnn();
}
