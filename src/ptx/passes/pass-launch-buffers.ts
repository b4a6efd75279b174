/**
 * Buffers for the arguments of launches in device code become memory of the thread: `cudaGetParameterBuffer` of Clang's
 * code becomes an alloca, which `__heddle_gpu_cudaLaunchDevice` reads (libdevice/gpu-launches.cu). In front of the
 * arguments stands how many bytes they have.
 *
 * One alloca serves all launches of a place in the code: a thread has launched a buffer's grid before it asks for the
 * next one there.
 *
 * Needs: a parsed module that is not linked yet.
 */
import { unsupported } from "../../base/diagnostics.ts";
import { NameSource, constI32, newByteOffset, newInstruction, newStore } from "../../ir/model/build.ts";
import type {
  AllocaInstruction,
  CallInstruction,
  IrFunction,
  IrInstruction,
  IrModule,
  IrValue,
} from "../../ir/model/ir.ts";
import { I8, arrayType, pointerOf } from "../../ir/model/types.ts";
import { replaceUses } from "../../ir/model/uses.ts";

const BUFFER = "cudaGetParameterBuffer";
/** Of gpu-launches.cu. The alignment of a buffer, too. */
const HEADER_BYTES = 64;

export function keepLaunchBuffers(module: IrModule): void {
  if (!module.functions.has(BUFFER)) return;
  for (const fn of module.functions.values()) keepBuffers(fn);
  module.functions.delete(BUFFER);
}

function keepBuffers(fn: IrFunction): void {
  const [entry] = fn.blocks;
  if (entry === undefined || !fn.blocks.some((block) => block.instructions.some(asksForBuffer))) return;
  const names = new NameSource(fn);
  const buffers: AllocaInstruction[] = [];
  const replaced = new Map<IrValue, IrValue>();
  for (const block of fn.blocks) {
    const out: IrInstruction[] = [];
    for (const i of block.instructions) {
      if (!asksForBuffer(i)) {
        out.push(i);
        continue;
      }
      const size = i.args[1];
      if (size?.kind !== "const-int")
        throw unsupported(
          "a launch in a kernel whose arguments have a size that is no constant",
          i.location ?? undefined,
        );
      const bytes = Number(size.value);
      const buffer = newInstruction<AllocaInstruction>(
        { block: entry, location: i.location },
        {
          op: "alloca",
          type: pointerOf(fn),
          name: names.fresh("launch"),
          allocatedType: arrayType(I8, HEADER_BYTES + bytes),
          count: null,
          align: HEADER_BYTES,
        },
      );
      buffers.push(buffer);
      const place = { block, location: i.location };
      const args = newByteOffset(place, names.fresh(i.name), buffer, constI32(HEADER_BYTES));
      out.push(newStore(place, constI32(bytes), buffer), args);
      replaced.set(i, args);
    }
    block.instructions = out;
  }
  entry.instructions.unshift(...buffers);
  replaceUses(fn, replaced);
}

function asksForBuffer(i: IrInstruction): i is CallInstruction {
  return i.op === "call" && i.callee.kind === "function" && i.callee.name === BUFFER;
}
