/** Batches of a dataset, in order or shuffled, as torch.utils.data.DataLoader. */
import { HeddleError } from "../../base/diagnostics.ts";
import { checkOptions, describeValue } from "../../base/options.ts";
import type { Gpu } from "../../library/gpu.ts";
import { defaultTensors } from "../api/default-tensors.ts";
import type { Tensors } from "../api/tensors.ts";
import { withoutTape } from "../autograd/tape.ts";
import { Generators } from "../operations/random.ts";
import { defaultCollate, mapTensors } from "./collate.ts";
import type { Dataset } from "./dataset.ts";
import { PinnedCopies } from "./pinned.ts";

/** Makes examples beside the program: worker threads in Node.js. */
export interface Workers {
  readonly count: number;
  /** The examples of these numbers. */
  fetch(indices: readonly number[]): Promise<unknown[]>;
  close(): Promise<void>;
}

export interface LoaderOptions<Item, Batch> {
  /** Default 1. */
  readonly batchSize?: number;
  /** In a new order for each epoch: PyTorch's, for the same seed. */
  readonly shuffle?: boolean;
  /** Leaves out the last batch if it is smaller. */
  readonly dropLast?: boolean;
  /** Makes a batch of examples; default: stacks tensors, and makes tensors of numbers. */
  readonly collate?: (items: readonly Item[]) => Batch;
  /** Where the tensors of batches go; default: they stay where the dataset makes them. */
  readonly device?: Gpu | null;
  /** Batches go to a GPU through pinned memory, which is faster; without effect elsewhere. */
  readonly pinMemory?: boolean;
  /** Threads that make examples (`workers` of "heddle/tensor"); `for await` then takes batches as they come. */
  readonly workers?: Workers;
  /** Batches that workers make ahead, for each worker; default 2. */
  readonly prefetch?: number;
  /** Whose random numbers; default: those of the device that was opened last. */
  readonly torch?: Tensors;
}

const NAMES = {
  batchSize: true,
  shuffle: true,
  dropLast: true,
  collate: true,
  device: true,
  pinMemory: true,
  workers: true,
  prefetch: true,
  torch: true,
} as const;
const MEANT = {
  batch_size: "batchSize",
  drop_last: "dropLast",
  collate_fn: "collate",
  num_workers: "workers",
  pin_memory: "pinMemory",
};

export class DataLoader<Item, Batch = Item> implements Iterable<Batch>, AsyncIterable<Batch> {
  readonly dataset: Dataset<Item>;
  readonly batchSize: number;
  readonly #options: LoaderOptions<Item, Batch>;
  #pinned: PinnedCopies | null = null;

  constructor(dataset: Dataset<Item>, options: LoaderOptions<Item, Batch> = {}) {
    checkOptions<LoaderOptions<Item, Batch>>("DataLoader", options, NAMES, {
      meant: MEANT,
      example: "new DataLoader(dataset, { batchSize: 64, shuffle: true })",
    });
    const { batchSize = 1 } = options;
    if (!Number.isInteger(batchSize) || batchSize < 1)
      throw new HeddleError("bad-arguments", `batchSize is a whole number from 1 on, not ${describeValue(batchSize)}`);
    this.dataset = dataset;
    this.batchSize = batchSize;
    this.#options = options;
  }

  /** Batches of an epoch. */
  get length(): number {
    const count = this.dataset.length / this.batchSize;
    return this.#options.dropLast === true ? Math.floor(count) : Math.ceil(count);
  }

  /** The numbers of the examples of each batch of an epoch. */
  #batches(): number[][] {
    const { shuffle = false, torch = defaultTensors() } = this.#options;
    const { length } = this.dataset;
    // PyTorch draws the seed of its workers first.
    torch.generators.randomSeed();
    const order = shuffle
      ? withoutTape(() => [...new Generators(torch.generators.randomSeed()).randperm(length, "int64", null).values()])
      : Array.from({ length }, (_, i) => i);
    return Array.from({ length: this.length }, (_, i) => order.slice(i * this.batchSize, (i + 1) * this.batchSize));
  }

  #finish(batch: Batch): Batch {
    const { device, pinMemory = false } = this.#options;
    if (device === undefined) return batch;
    const pinned = pinMemory && device !== null ? (this.#pinned ??= new PinnedCopies(device)) : null;
    return mapTensors(batch, (tensor) => pinned?.copy(tensor) ?? tensor.to(device)) as Batch;
  }

  #collated(items: readonly Item[]): Batch {
    const { collate = defaultCollate as (items: readonly Item[]) => Batch } = this.#options;
    return collate(items);
  }

  *[Symbol.iterator](): Generator<Batch> {
    if (this.#options.workers !== undefined)
      throw new HeddleError(
        "bad-arguments",
        "a DataLoader with workers is read by `for await (const batch of loader)`",
      );
    const { dataset } = this;
    for (const indices of this.#batches()) {
      const isWhole = this.#options.collate === undefined && dataset.getBatch !== undefined;
      const batch = isWhole
        ? (dataset.getBatch?.(indices) as unknown as Batch)
        : this.#collated(indices.map((index) => dataset.get(index)));
      yield this.#finish(batch);
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Batch> {
    const { workers, prefetch = 2 } = this.#options;
    if (workers === undefined) {
      yield* this;
      return;
    }
    const batches = this.#batches();
    const pending: Promise<unknown[]>[] = [];
    const ahead = Math.max(1, prefetch * workers.count);
    for (let next = 0; next < batches.length || pending.length > 0;) {
      while (next < batches.length && pending.length < ahead) {
        const request = workers.fetch(batches[next++] as number[]);
        // Its failure is reported where the batch is waited for.
        request.catch(() => {});
        pending.push(request);
      }
      const items = (await pending.shift()) as Item[];
      yield this.#finish(this.#collated(items));
    }
  }
}
