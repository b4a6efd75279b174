/** Training on MNIST: steps, measures, and a state that a checkpoint holds. */
import { HeddleError } from "../../base/diagnostics.ts";
import { data, load, nn, optim, save, type CUDAGraph, type Tensor, type Tensors } from "../../tensor.ts";
import { PIXELS, SIDE, type Images, type Mnist } from "./images.ts";
import { networkOf, type NetworkName } from "./networks.ts";

export interface TrainingOptions {
  readonly net: NetworkName;
  readonly batch: number;
  readonly lr: number;
  readonly momentum: number;
  readonly seed: number;
  /** The learning rate falls to 0 over so many epochs, by the same amount at each step; 0: it stays. */
  readonly decay: number;
}

/** What was measured after an epoch. */
export interface Measure {
  readonly epoch: number;
  readonly step: number;
  /** The part of the test images that are recognised. */
  readonly accuracy: number;
  readonly seconds: number;
}

/** The mean and the standard deviation of MNIST's pixels. */
const MEAN = 0.1307;
const DEVIATION = 0.3081;

/** Images at once while measuring. */
const TEST_BATCH = 500;

interface Checkpoint {
  readonly format: "heddle mnist 1";
  readonly options: TrainingOptions;
  readonly model: nn.StateDict;
  readonly optimizer: optim.OptimizerState;
  readonly epoch: number;
  readonly step: number;
  readonly losses: readonly number[];
  readonly measures: readonly Measure[];
  readonly seconds: number;
}

interface RecordedStep {
  readonly graph: CUDAGraph;
  readonly loss: Tensor;
  /** The numbers of the images of a batch. */
  readonly chosen: Tensor;
}

export class Training {
  readonly options: TrainingOptions;
  readonly model: ReturnType<typeof networkOf>;
  readonly optimizer: optim.SGD;
  epoch = 0;
  step = 0;
  /** The loss of each step. */
  readonly losses: number[] = [];
  readonly measures: Measure[] = [];
  /** Of steps, in all runs. */
  seconds = 0;
  readonly #torch: Tensors;
  readonly #recordsSteps: boolean;
  readonly #isSmall: boolean;
  #hasStepped = false;
  #recorded: RecordedStep | null = null;
  readonly #train: Split;
  readonly #test: Split;

  /** @param recordsSteps a step is launched as one; default: on a GPU, whose launches take longer than its kernels */
  constructor(
    torch: Tensors,
    mnist: Mnist,
    options: TrainingOptions,
    recordsSteps: boolean = torch.device.raw.kind === "cuda",
  ) {
    this.options = options;
    this.#torch = torch;
    this.#recordsSteps = recordsSteps;
    // A GPU's matrix units take small floats.
    this.#isSmall = torch.device.raw.kind === "cuda";
    const isOnDevice = recordsSteps || torch.device.raw.kind !== "emulated";
    this.#train = splitOf(torch, mnist.train, isOnDevice);
    this.#test = splitOf(torch, mnist.test, isOnDevice);
    torch.manualSeed(options.seed);
    this.model = networkOf(options.net);
    const { lr, momentum } = options;
    this.optimizer = new optim.SGD(this.model.parameters(), { lr, momentum });
  }

  get stepsOfEpoch(): number {
    return Math.floor(this.#train.count / this.options.batch);
  }

  /**
   * One epoch, a step at a time; it goes on where a checkpoint was made. The order of the images follows from the seed
   * and the epoch alone.
   */
  *steps(): Generator<{ readonly step: number; readonly of: number }> {
    const torch = this.#torch;
    const { batch, seed } = this.options;
    torch.manualSeed(seed * 1000 + this.epoch + 1);
    const loader = new data.DataLoader(numbers(this.#train.count), {
      batchSize: batch,
      shuffle: true,
      dropLast: true,
      collate: (indices: readonly number[]) => indices,
      torch,
    });
    this.model.train();
    const begin = this.epoch * this.stepsOfEpoch;
    let at = begin;
    for (const indices of loader) {
      // Steps that were made before the checkpoint.
      if (at++ < this.step) continue;
      const start = performance.now();
      this.#setRate();
      this.losses.push(this.#run(indices));
      this.step++;
      this.seconds += (performance.now() - start) / 1000;
      yield { step: this.step - begin, of: this.stepsOfEpoch };
    }
    this.epoch++;
  }

  /** It follows from the step alone, so that training goes on from a checkpoint as it would have. */
  #setRate(): void {
    const { lr, decay } = this.options;
    const rest = decay === 0 ? 1 : Math.max(0, 1 - this.step / (decay * this.stepsOfEpoch));
    for (const group of this.optimizer.paramGroups) group.lr = lr * rest;
  }

  /** One step. @returns its loss */
  #run(indices: readonly number[]): number {
    const torch = this.#torch;
    // Recorded steps keep the learning rate of the first, and what is compiled is compiled by a step as usual.
    const isRecorded = this.#recordsSteps && this.options.decay === 0 && this.#hasStepped;
    if (!isRecorded) {
      this.#hasStepped = true;
      const loss = torch.tidy(() => this.#step(() => batchOf(torch, this.#train, indices)));
      const value = loss.item();
      loss.dispose();
      return value;
    }
    const { graph, loss, chosen } = (this.#recorded ??= this.#record());
    torch.upload(chosen, BigInt64Array.from(indices, BigInt));
    graph.replay();
    // What JavaScript counts is no part of the graph.
    for (const module of this.model.modules()) if (module instanceof nn.BatchNorm2d) module.countBatch();
    return loss.item();
  }

  #record(): RecordedStep {
    const torch = this.#torch;
    const chosen = torch.zeros([this.options.batch], { dtype: "int64" });
    const counts = this.model
      .modules()
      .flatMap((own) => (own instanceof nn.BatchNorm2d ? (own.numBatchesTracked ?? []) : []));
    const before = counts.map((count) => count.item());
    const graph = new torch.cuda.CUDAGraph();
    const loss = torch.cuda.graph(graph, () => torch.tidy(() => this.#step(() => gatheredBatch(this.#train, chosen))));
    for (const [i, count] of counts.entries()) count.fill_(before[i] as number);
    return { graph, loss, chosen };
  }

  #step(batch: () => [images: Tensor, labels: Tensor]): Tensor {
    const [images, labels] = batch();
    this.optimizer.zeroGrad();
    const loss = this.#torch.autocast({ enabled: this.#isSmall }, () =>
      nn.functional.crossEntropy(this.model.forward(images), labels),
    );
    loss.backward();
    this.optimizer.step();
    return loss.detach();
  }

  /** Measures how many test images are recognised. */
  measure(): Measure {
    const torch = this.#torch;
    this.model.eval();
    let right = 0;
    const most = torch.device.raw.kind === "cuda" ? this.#test.count : TEST_BATCH;
    for (let begin = 0; begin < this.#test.count; begin += most) {
      const count = Math.min(most, this.#test.count - begin);
      const indices = Array.from({ length: count }, (_, i) => begin + i);
      const found = torch.tidy(() =>
        torch.noGrad(() => {
          const [images, labels] = batchOf(torch, this.#test, indices);
          const output = torch.autocast({ enabled: this.#isSmall }, () => this.model.forward(images));
          return output.argmax(1).eq(labels).sum();
        }),
      );
      right += found.item();
      found.dispose();
    }
    const { epoch, step, seconds } = this;
    const measure = { epoch, step, accuracy: right / this.#test.count, seconds };
    this.measures.push(measure);
    return measure;
  }

  save(path: string): void {
    const { options, epoch, step, losses, measures, seconds } = this;
    const checkpoint: Checkpoint = {
      format: "heddle mnist 1",
      options,
      model: this.model.stateDict(),
      optimizer: this.optimizer.stateDict(),
      epoch,
      step,
      losses,
      measures,
      seconds,
    };
    save(checkpoint, path);
  }

  /** @throws HeddleError "bad-arguments" for another file, or the checkpoint of another network */
  resume(path: string): void {
    const saved = load(path) as Partial<Checkpoint>;
    if (saved.format !== "heddle mnist 1" || saved.options === undefined)
      throw new HeddleError("bad-arguments", `${path} is no checkpoint of this example`);
    for (const name of ["net", "batch", "seed"] as const)
      if (saved.options[name] !== this.options[name])
        throw new HeddleError(
          "bad-arguments",
          `${path} was trained with --${name} ${saved.options[name]}, not ${this.options[name]}`,
          { notes: ["give the same options, or another --checkpoint"] },
        );
    this.model.loadStateDict(saved.model ?? {});
    if (saved.optimizer !== undefined) this.optimizer.loadStateDict(saved.optimizer);
    this.epoch = saved.epoch ?? 0;
    this.step = saved.step ?? 0;
    this.losses.push(...(saved.losses ?? []));
    this.measures.push(...(saved.measures ?? []));
    this.seconds = saved.seconds ?? 0;
  }
}

/** The numbers of examples as a dataset. */
function numbers(length: number): data.Dataset<number> {
  return { length, get: (index) => index };
}

/** Images where batches are made: on a GPU all of them, else on the host, whose rows are copied faster. */
interface Split {
  readonly count: number;
  readonly images: Tensor;
  readonly labels: Tensor;
  readonly rows: data.TensorDataset;
}

function splitOf(torch: Tensors, { count, pixels, labels }: Images, isOnDevice: boolean): Split {
  const device = isOnDevice ? torch.device : null;
  const images = torch.tensor(pixels, { device }).view(count, PIXELS);
  const digits = torch.tensor(labels, { device });
  return { count, images, labels: digits, rows: new data.TensorDataset(images, digits) };
}

function batchOf(torch: Tensors, { rows }: Split, indices: readonly number[]): [images: Tensor, labels: Tensor] {
  const [pixels, digits] = rows.getBatch(indices) as [Tensor, Tensor];
  return scaled(pixels.to(torch.device), digits.to(torch.device));
}

/** @param chosen the numbers of the images, where these are */
function gatheredBatch({ images, labels }: Split, chosen: Tensor): [images: Tensor, labels: Tensor] {
  return scaled(images.indexSelect(0, chosen), labels.indexSelect(0, chosen));
}

function scaled(pixels: Tensor, digits: Tensor): [images: Tensor, labels: Tensor] {
  const images = pixels
    .float()
    .mul(1 / (255 * DEVIATION))
    .sub(MEAN / DEVIATION);
  return [images.view(-1, 1, SIDE, SIDE), digits.long()];
}
