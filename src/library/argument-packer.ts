/**
 * Arguments packed for one kernel again and again: what a parameter must be is looked up once, and the bytes go into
 * one buffer. The checks are those of packArguments, which is asked where an argument is not plainly right, so that its
 * words are the same.
 */
import type { Dtype } from "../base/dtypes.ts";
import type { Device } from "../device/device.ts";
import type { KernelParam } from "../machine/launch.ts";
import { DeviceArray } from "./device-array.ts";
import { packArguments, type KernelArgument, type Signature } from "./kernel-arguments.ts";

/** Writes an argument; false when it is not plainly right. */
type Writer = (value: KernelArgument) => boolean;

/** @returns what packs arguments into `bytes`, and throws as packArguments does. */
export function argumentPacker(
  signature: Signature,
  device: Device,
  bytes: Uint8Array,
): (args: readonly KernelArgument[]) => void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  /** By parameter: the dtype of the last array that packArguments took. */
  const accepted: (Dtype | null)[] = signature.params.map(() => null);
  const writers = signature.params.map((param, i) =>
    param.kind === "pointer"
      ? pointerWriter(param, i, accepted, device, view)
      : writerFor(param, signature.types?.[i] ?? null, view),
  );
  return (args) => {
    let plain = args.length === writers.length;
    for (let i = 0; plain && i < writers.length; i++) plain = (writers[i] as Writer)(args[i] as KernelArgument);
    if (plain) return;
    bytes.set(packArguments(signature, args, device));
    args.forEach((value, i) => void (accepted[i] = value instanceof DeviceArray ? value.dtype : null));
  };
}

function writerFor({ kind, offset }: KernelParam, type: string | null, view: DataView): Writer {
  switch (kind) {
    case "f32":
      return (value) => {
        if (typeof value !== "number") return false;
        view.setFloat32(offset, value, true);
        return true;
      };
    case "f64":
      return (value) => {
        if (typeof value !== "number") return false;
        view.setFloat64(offset, value, true);
        return true;
      };
    case "i32":
      if (type === "int") {
        return (value) => {
          if (typeof value !== "number" || (value | 0) !== value) return false;
          view.setInt32(offset, value, true);
          return true;
        };
      }
      if (type === "unsigned int") {
        return (value) => {
          if (typeof value !== "number" || value >>> 0 !== value) return false;
          view.setUint32(offset, value, true);
          return true;
        };
      }
      return () => false;
    default:
      return () => false;
  }
}

/** Which dtypes fit is packArguments' to say, when an array of one is first given. */
function pointerWriter(
  { offset, size }: KernelParam,
  index: number,
  accepted: readonly (Dtype | null)[],
  device: Device,
  view: DataView,
): Writer {
  return (value) => {
    if (!(value instanceof DeviceArray) || value.dtype !== accepted[index] || value.device !== device || value.freed)
      return false;
    const { pointer } = value;
    view.setUint32(offset, pointer >>> 0, true);
    if (size === 8) view.setUint32(offset + 4, Math.floor(pointer / 0x1_0000_0000), true);
    return true;
  };
}
