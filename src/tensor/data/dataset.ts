/** Examples by number. */
import { HeddleError } from "../../base/diagnostics.ts";
import { defaultTensors } from "../api/default-tensors.ts";
import { withoutTape } from "../autograd/tape.ts";
import { elementBytes } from "../dtypes.ts";
import { elementMemory } from "../element-memory.ts";
import { denseStrides, empty, type Tensor } from "../tensor.ts";
import type { Tensors } from "../api/tensors.ts";
import "../api/shape-methods.ts";

/** What a loader takes examples from. */
export interface Dataset<Item> {
  readonly length: number;
  get(index: number): Item;
  /** A batch at once, where this is faster than one example after the other. */
  getBatch?(indices: readonly number[]): Item;
}

/** Rows of tensors of one length: example i has row i of each. */
export class TensorDataset implements Dataset<Tensor[]> {
  readonly tensors: readonly Tensor[];
  readonly length: number;
  /** The memory of each, which the rows of batches are copied from. */
  readonly #memory: (Uint8Array | null)[];

  constructor(...tensors: readonly Tensor[]) {
    const [first] = tensors;
    if (first === undefined) throw new HeddleError("bad-arguments", "a TensorDataset has at least one tensor");
    for (const tensor of tensors)
      if (tensor.rank === 0 || tensor.shape[0] !== first.shape[0])
        throw new HeddleError("bad-arguments", "Size mismatch between tensors", {
          notes: [`their shapes are ${tensors.map(({ shape }) => `[${shape.join(", ")}]`).join(" and ")}`],
        });
    this.tensors = tensors;
    this.length = first.shape[0] as number;
    this.#memory = tensors.map(() => null);
  }

  get(index: number): Tensor[] {
    return this.tensors.map((tensor) => tensor.select(0, index));
  }

  /** One copy of the rows: on the host for tensors there, else by a kernel. */
  getBatch(indices: readonly number[]): Tensor[] {
    return this.tensors.map((tensor, i) =>
      tensor.place === null ? this.#rowsOf(tensor, i, indices) : tensor.index(indexTensor(indices, tensor)),
    );
  }

  #rowsOf(tensor: Tensor, i: number, indices: readonly number[]): Tensor {
    const memory = (this.#memory[i] ??= elementMemory(tensor));
    const bytes = (denseStrides(tensor.shape)[0] as number) * elementBytes(tensor.dtype);
    const rows = new Uint8Array(indices.length * bytes);
    for (const [at, index] of indices.entries())
      rows.set(memory.subarray(index * bytes, (index + 1) * bytes), at * bytes);
    const batch = empty([indices.length, ...tensor.shape.slice(1)], tensor.dtype, null);
    batch.storage.write(0, rows);
    return batch;
  }
}

function indexTensor(indices: readonly number[], { device }: Tensor): Tensor {
  return defaultTensors().tensor([...indices], { dtype: "int64", device });
}

/** Some examples of another dataset. */
export class Subset<Item> implements Dataset<Item> {
  readonly dataset: Dataset<Item>;
  readonly indices: readonly number[];
  readonly getBatch?: (indices: readonly number[]) => Item;

  constructor(dataset: Dataset<Item>, indices: readonly number[]) {
    this.dataset = dataset;
    this.indices = indices;
    if (dataset.getBatch !== undefined)
      this.getBatch = (own) => dataset.getBatch?.(own.map((index) => indices[index] as number)) as Item;
  }

  get length(): number {
    return this.indices.length;
  }

  get(index: number): Item {
    return this.dataset.get(this.indices[index] as number);
  }
}

/** Several datasets as one. */
export class ConcatDataset<Item> implements Dataset<Item> {
  readonly datasets: readonly Dataset<Item>[];

  constructor(datasets: readonly Dataset<Item>[]) {
    this.datasets = datasets;
  }

  get length(): number {
    return this.datasets.reduce((sum, { length }) => sum + length, 0);
  }

  get(index: number): Item {
    let rest = index;
    for (const dataset of this.datasets) {
      if (rest < dataset.length) return dataset.get(rest);
      rest -= dataset.length;
    }
    throw new HeddleError("bad-arguments", `there is no example ${index} of ${this.length}`);
  }
}

/**
 * Parts of a dataset by chance: PyTorch's, for the same seed. Lengths are numbers of examples, or shares of all.
 * @param torch whose random numbers; default: those of the device that was opened last
 */
export function randomSplit<Item>(
  dataset: Dataset<Item>,
  lengths: readonly number[],
  torch: Tensors = defaultTensors(),
): Subset<Item>[] {
  const counts = countsOf(dataset.length, lengths);
  const order = withoutTape(() => [...torch.generators.randperm(dataset.length, "int64", null).values()]);
  let begin = 0;
  return counts.map((count) => new Subset(dataset, order.slice(begin, (begin += count))));
}

function countsOf(length: number, lengths: readonly number[]): readonly number[] {
  const sum = lengths.reduce((total, one) => total + one, 0);
  if (lengths.every((share) => share >= 0 && share <= 1) && Math.abs(sum - 1) < 1e-9) {
    const counts = lengths.map((share) => Math.floor(length * share));
    const rest = length - counts.reduce((total, one) => total + one, 0);
    return counts.map((count, i) => count + Number(i < rest));
  }
  if (sum !== length)
    throw new HeddleError("bad-arguments", "Sum of input lengths does not equal the length of the input dataset!", {
      notes: [`${lengths.join(" + ")} = ${sum}, and the dataset has ${length} examples`],
    });
  return lengths;
}
