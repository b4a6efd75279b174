/** Batch norm, ReLU and max pooling behind a convolution in one launch. norm-gradients.ts has the way back. */
import { empty, type Tensor } from "../../tensor.ts";
import type { TensorDevice } from "../tensor-device.ts";
import { formOf, pooledSizes, type LayerSizes, imageStrides, type ImageStrides } from "./block-sizes.ts";
import { type StatisticsParts } from "./convolution.ts";
import { indented, launchFused } from "./fused-kernel.ts";
import { channelText, isTurned, NONE, ofChannels, tilingOf, windowText, type Tiling } from "./window-tiles.ts";

export interface Norm {
  readonly weight: Tensor;
  readonly bias: Tensor;
  readonly runningMean: Tensor | null;
  readonly runningVariance: Tensor | null;
  readonly epsilon: number;
  readonly momentum: number;
}

export interface Statistics {
  readonly mean: Tensor;
  /** 1 / sqrt(variance + epsilon) */
  readonly scale: Tensor;
}

/** Mean and scale of each channel from the parts; the running ones follow. @param bias of the convolution */
export function launchStatistics(
  device: TensorDevice,
  { parts, programs, rowsOfProgram }: StatisticsParts,
  rows: number,
  norm: Norm,
  bias: Tensor | null,
): Statistics {
  const filters = parts.shape[2] as number;
  const mean = empty([filters], "float32", parts.place);
  const scale = empty([filters], "float32", parts.place);
  const { epsilon } = norm;
  const running = runningText(norm, bias);
  const tensors = { parts, mean, scale, ...running.tensors };
  const form = `${filters} ${rowsOfProgram} ${epsilon} ${running.form}`;
  const columns = 4;
  const side = 256;
  launchFused(device, "batch_norm_statistics", form, Math.ceil(filters / columns), tensors, { programs, rows }, () => ({
    lines: [
      `column = tl.program_id(0) * ${columns} + tl.arange(0, ${columns})`,
      `known = column < ${filters}`,
      "length = rows.to(tl.float32)",
      `sums = tl.zeros((${side}, ${columns}), dtype=tl.float32)`,
      `for first in range(0, programs, ${side}):`,
      ...indented([...partText(side, rowsOfProgram, filters), "sums += means * count[:, None]"]),
      "center = tl.sum(sums, 0) / length",
      `squares = tl.zeros((${side}, ${columns}), dtype=tl.float32)`,
      `for first in range(0, programs, ${side}):`,
      ...indented([
        ...partText(side, rowsOfProgram, filters),
        `own = tl.load(at + ${filters}, mask=fits, other=0.0)`,
        "apart = means - center[None, :]",
        "squares += own + apart * apart * count[:, None]",
      ]),
      "total = tl.sum(squares, 0)",
      "tl.store(mean + column, center, mask=known)",
      `tl.store(scale + column, 1.0 / tl.sqrt(total / length + ${epsilon}), mask=known)`,
      ...running.lines("total / (length - 1.0)"),
    ],
  }));
  running.note();
  return { mean, scale };
}

/** How running statistics follow those of a batch: `center`, of the elements `known` of `column`. */
export interface RunningText {
  readonly form: string;
  readonly tensors: Readonly<Record<string, Tensor>>;
  lines(variance: string): string[];
  /** The launch has changed them. */
  note(): void;
}

/** @param bias of the convolution: the means of its results are those without it, and it. */
export function runningText({ runningMean, runningVariance, momentum }: Norm, bias: Tensor | null): RunningText {
  if (runningMean === null || runningVariance === null)
    return { form: "", tensors: {}, lines: () => [], note: () => undefined };
  return {
    form: `${momentum} ${bias !== null}`,
    tensors: {
      running_mean: runningMean,
      running_variance: runningVariance,
      ...(bias === null ? {} : { running_bias: bias }),
    },
    lines: (variance) => [
      `lifted = center${bias === null ? "" : " + tl.load(running_bias + column, mask=known, other=0.0)"}`,
      ...follow("running_mean", "lifted", momentum),
      ...follow("running_variance", variance, momentum),
    ],
    note: () => {
      for (const tensor of [runningMean, runningVariance]) tensor.storage.version++;
    },
  };
}

function partText(side: number, rowsOfProgram: number, filters: number): string[] {
  return [
    `part = first + tl.arange(0, ${side})`,
    `count = tl.minimum(tl.maximum(rows - part * ${rowsOfProgram}, 0), ${rowsOfProgram}).to(tl.float32)`,
    "fits = (part < programs)[:, None] & known[None, :]",
    `at = parts + (part * ${2 * filters})[:, None] + column[None, :]`,
    "means = tl.load(at, mask=fits, other=0.0)",
  ];
}

function follow(running: string, now: string, momentum: number): string[] {
  return [
    `before = tl.load(${running} + column, mask=known, other=0.0)`,
    `tl.store(${running} + column, before * ${1 - momentum} + (${now}) * ${momentum}, mask=known)`,
  ];
}

export interface Chosen {
  /** [batch, rows, columns, filters], as all of them: the element of each window that was greatest. */
  readonly elements: Tensor;
  /** Its place in the window. */
  readonly places: Tensor;
}

/**
 * @param y [batch, outHeight, outWidth, filters]
 * @param out [batch, filters, rows, columns] with any strides
 * @param keeps what gradients need
 */
export function launchNormPool(
  device: TensorDevice,
  sizes: LayerSizes,
  y: Tensor,
  { mean, scale }: Statistics,
  norm: Norm,
  out: Tensor,
  keeps: boolean,
): Chosen | null {
  const batch = y.shape[0] as number;
  const { filters } = sizes;
  const [height, width] = pooledSizes(sizes);
  const tiling = tilingOf(filters, height * width);
  const shape = [batch, height, width, filters];
  const chosen = keeps ? { elements: empty(shape, "bfloat16", y.place), places: empty(shape, "uint8", y.place) } : null;
  const strides = imageStrides(out);
  const tensors = { y, mean, scale, weight: norm.weight, bias: norm.bias, out, ...chosen };
  launchFused(
    device,
    "batch_norm_pool",
    `${formOf(sizes)} ${strides.slice(1).join()} ${keeps}`,
    batch * tiling.ofImage * tiling.ofChannels,
    tensors,
    { batch },
    () => {
      const lines = poolText(sizes, tiling, strides, keeps);
      return [{ lines }, { lines, warps: 8 }];
    },
  );
  return chosen;
}

function poolText(sizes: LayerSizes, tiling: Tiling, strides: ImageStrides, keeps: boolean): string[] {
  const { filters, outHeight, outWidth, pool, hasRelu } = sizes;
  const [height, width] = pooledSizes(sizes);
  const lines = [
    ...channelText(tiling),
    ...windowText(tiling, height, width, "program"),
    "fits = inside[:, None] & " + `(c < ${filters})[None, :]`,
    ofChannels("mean", filters, "center"),
    ofChannels("scale", filters, "factor"),
    ofChannels("weight", filters, "gain"),
    ofChannels("bias", filters, "shift"),
    "factor = factor * gain",
    `base = y + ((n * ${outHeight} + qh * ${pool[0]}) * ${outWidth} + qw * ${pool[1]}) * ${filters}`,
    "at = base[:, None] + c[None, :]",
  ];
  const places = pool[0] * pool[1];
  // All loads first: they do not wait for one another.
  for (let k = 0; k < places; k++) {
    const by = (Math.floor(k / pool[1]) * outWidth + (k % pool[1])) * filters;
    lines.push(`x${k} = tl.load(at + ${by}, mask=fits, other=0.0).to(tl.float32)`);
  }
  for (let k = 0; k < places; k++) {
    // Rounded as the result of a batch norm of its own would be, so that the same element is the greatest.
    const value = `((x${k} - center) * factor + shift).to(tl.bfloat16).to(tl.float32)`;
    if (k === 0)
      lines.push(
        `best = ${value}`,
        "chosen = x0",
        `place = tl.zeros((${tiling.positions}, ${tiling.channels}), dtype=tl.int32)`,
      );
    else
      lines.push(
        `v = ${value}`,
        // One NaN makes all of a channel NaN: the norm has its mean.
        "better = v > best",
        "best = tl.where(better, v, best)",
        `chosen = tl.where(better, x${k}, chosen)`,
        `place = tl.where(better, ${k}, place)`,
      );
  }
  if (hasRelu) lines.push(`place = tl.where(best <= 0.0, ${NONE}, place)`, "best = tl.where(best <= 0.0, 0.0, best)");
  const [ofBatch, ofChannel, ofRow, ofColumn] = strides;
  const to = `n * ${ofBatch} + qh * ${ofRow} + qw * ${ofColumn}`;
  if (isTurned(strides))
    lines.push(
      `tl.store(out + (${to})[None, :] + (c * ${ofChannel})[:, None], tl.trans(best).to(tl.bfloat16), ` +
        `mask=inside[None, :] & (c < ${filters})[:, None])`,
    );
  else lines.push(`tl.store(out + (${to})[:, None] + c[None, :], best.to(tl.bfloat16), mask=fits)`);
  if (keeps)
    lines.push(
      `kept = (n * ${height * width} + q)[:, None] * ${filters} + c[None, :]`,
      "tl.store(elements + kept, chosen.to(tl.bfloat16), mask=fits)",
      "tl.store(places + kept, place.to(tl.uint8), mask=fits)",
    );
  return lines;
}
