/**
 * The safetensors format: tensors by name, in one file.
 *
 * Eight bytes hold the length of a header, the header is JSON ({ name: { dtype, shape, data_offsets } }, and
 * `__metadata__`, strings by name), and the elements follow, little-endian, rows without gaps
 * (https://huggingface.co/docs/safetensors). What the format promises is checked: no tensor lies outside of the file,
 * tensors do not overlap, and no byte belongs to none.
 */
import { HeddleError } from "../../base/diagnostics.ts";
import { defaultTensors } from "../api/default-tensors.ts";
import { elementBytes, type TensorDtype } from "../dtypes.ts";
import { elementMemory } from "../element-memory.ts";
import { elementCount, empty, type Tensor } from "../tensor.ts";
import type { Gpu } from "../../library/gpu.ts";
import type { StateDict } from "../nn/module.ts";

const NAMES: Readonly<Record<TensorDtype, string>> = {
  bool: "BOOL",
  uint8: "U8",
  int8: "I8",
  uint16: "U16",
  int16: "I16",
  uint32: "U32",
  int32: "I32",
  uint64: "U64",
  int64: "I64",
  float16: "F16",
  bfloat16: "BF16",
  float32: "F32",
  float64: "F64",
  float8_e4m3fn: "F8_E4M3",
  float8_e5m2: "F8_E5M2",
};
const DTYPES = new Map(Object.entries(NAMES).map(([dtype, name]) => [name, dtype as TensorDtype]));

/** As the reference implementation limits it. */
const MOST_HEADER_BYTES = 100_000_000;

export interface SafetensorsFile {
  readonly tensors: StateDict;
  readonly metadata: Readonly<Record<string, string>>;
}

interface Entry {
  readonly name: string;
  readonly dtype: TensorDtype;
  readonly shape: readonly number[];
  readonly begin: number;
  readonly end: number;
}

function bad(what: string): never {
  throw new HeddleError("bad-arguments", `this is no safetensors file: ${what}`);
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function entryOf(name: string, value: unknown): Entry {
  const { dtype, shape, data_offsets: offsets } = (value ?? {}) as Record<string, unknown>;
  const known = DTYPES.get(String(dtype));
  if (known === undefined) bad(`the tensor "${name}" has the dtype ${JSON.stringify(dtype) ?? "undefined"}`);
  if (!Array.isArray(shape) || !shape.every(isCount)) bad(`the shape of "${name}" is ${JSON.stringify(shape)}`);
  if (!Array.isArray(offsets) || offsets.length !== 2 || !offsets.every(isCount))
    bad(`the data_offsets of "${name}" are ${JSON.stringify(offsets)}`);
  const [begin, end] = offsets as [number, number];
  const bytes = elementCount(shape as number[]) * elementBytes(known);
  if (end - begin !== bytes)
    bad(`"${name}" has ${end - begin} bytes, but ${String(dtype)} of shape [${shape.join(", ")}] takes ${bytes}`);
  return { name, dtype: known, shape: shape as number[], begin, end };
}

/** The header, checked. */
function parse(bytes: Uint8Array): { entries: Entry[]; metadata: Record<string, string>; begin: number } {
  if (bytes.length < 8) bad(`it has ${bytes.length} bytes, and its header's length alone takes 8`);
  const length = Number(new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true));
  if (length > MOST_HEADER_BYTES) bad(`its header would have ${length} bytes`);
  const begin = 8 + length;
  if (begin > bytes.length) bad(`its header has ${length} bytes, but the file ends after ${bytes.length}`);
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(8, begin)));
  } catch (error) {
    bad(`its header is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof header !== "object" || header === null || Array.isArray(header)) bad("its header is no JSON object");
  const { __metadata__: metadata = {}, ...tensors } = header as Record<string, unknown>;
  if (typeof metadata !== "object" || Object.values(metadata ?? {}).some((value) => typeof value !== "string"))
    bad("its __metadata__ has values that are no strings");
  const entries = Object.entries(tensors).map(([name, value]) => entryOf(name, value));
  let at = 0;
  for (const entry of [...entries].sort((a, b) => a.begin - b.begin || a.end - b.end)) {
    if (entry.begin !== at)
      bad(`"${entry.name}" begins at byte ${entry.begin} of the data, but the tensor before it ends at byte ${at}`);
    at = entry.end;
  }
  if (begin + at !== bytes.length)
    bad(`its tensors have ${at} bytes, but ${bytes.length - begin} bytes follow the header`);
  return { entries, metadata: metadata as Record<string, string>, begin };
}

/**
 * The tensors of a file.
 * @param device where they go: a device, or null for the host; default: the device that was opened last
 * @throws HeddleError "bad-arguments" with what is wrong in the file
 */
export function decodeSafetensors(bytes: Uint8Array, device?: Gpu | null): SafetensorsFile {
  const { entries, metadata, begin } = parse(bytes);
  const gpu = device === undefined ? defaultTensors().device : device;
  const tensors: StateDict = {};
  for (const entry of entries) {
    const tensor = empty(entry.shape, entry.dtype, gpu === null ? null : gpu.raw);
    tensor.storage.write(0, bytes.slice(begin + entry.begin, begin + entry.end));
    tensors[entry.name] = tensor;
  }
  return { tensors, metadata };
}

/** A file of these tensors. Larger elements come first, so that all are aligned. */
export function encodeSafetensors(
  tensors: Readonly<Record<string, Tensor>>,
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array<ArrayBuffer> {
  const size = (tensor: Tensor): number => elementBytes(tensor.dtype);
  const all = Object.entries(tensors).sort(([a, x], [b, y]) => size(y) - size(x) || (a < b ? -1 : 1));
  const header: Record<string, unknown> = Object.keys(metadata).length > 0 ? { __metadata__: metadata } : {};
  let at = 0;
  for (const [name, tensor] of all) {
    if (name === "__metadata__") throw new HeddleError("bad-arguments", 'a tensor cannot be named "__metadata__"');
    const end = at + tensor.length * size(tensor);
    header[name] = { dtype: NAMES[tensor.dtype], shape: tensor.shape, data_offsets: [at, end] };
    at = end;
  }
  const text = new TextEncoder().encode(JSON.stringify(header));
  const length = Math.ceil(text.length / 8) * 8;
  const bytes = new Uint8Array(8 + length + at);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(length), true);
  bytes.fill(0x20, 8, 8 + length);
  bytes.set(text, 8);
  let to = 8 + length;
  for (const [, tensor] of all) {
    const memory = elementMemory(tensor);
    bytes.set(memory, to);
    to += memory.length;
  }
  return bytes;
}
