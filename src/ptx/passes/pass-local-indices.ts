/**
 * Reads of small local arrays at an index that is computed become a choice between all elements, so that the array can
 * become registers (pass-promote-allocas.ts): results that each thread of a group picks one of, `out[lane] =
 * result[lane]`.
 *
 * Needs: a legalised function. Afterwards: such a read is loads of all elements and selects, if nothing else is done
 * with the array than loads and stores of one element's size at constant places.
 */
import { NameSource, constI32, newBlock } from "../../ir/model/build.ts";
import { Emitter } from "../../ir/model/emitter.ts";
import { gepOffset } from "../../ir/model/gep.ts";
import type {
  AllocaInstruction,
  GepInstruction,
  IrFunction,
  IrInstruction,
  IrModule,
  IrValue,
  LoadInstruction,
} from "../../ir/model/ir.ts";
import { sizeOf } from "../../ir/model/layout.ts";
import { cleanUp } from "../../ir/passes/pass-cleanup.ts";
import { I32, scalarBits } from "../../ir/model/types.ts";
import { replaceUses, usesOf, type UseMap } from "../../ir/model/uses.ts";

const MAX_ELEMENTS = 16;
/** Reads of one array: each becomes as many instructions as there are elements. */
const MAX_READS = 4;

interface ComputedRead {
  readonly load: LoadInstruction;
  readonly index: IrValue;
  readonly array: AllocaInstruction;
}

export function expandLocalIndices(fn: IrFunction, module: IrModule): void {
  const allocas = (fn.blocks[0]?.instructions ?? []).filter(
    (i): i is AllocaInstruction => i.op === "alloca" && i.count === null,
  );
  if (allocas.length === 0) return;
  const uses = usesOf(fn);
  const reads = new Map<IrInstruction, ComputedRead>();
  for (const alloca of allocas) for (const read of computedReads(alloca, uses)) reads.set(read.load, read);
  if (reads.size === 0) return;
  const e = new Emitter(module, fn, new NameSource(fn), newBlock(fn, ""));
  const replacements = new Map<IrValue, IrValue>();
  for (const block of fn.blocks) {
    const out: IrInstruction[] = [];
    for (const i of block.instructions) {
      const read = reads.get(i);
      if (read === undefined) {
        out.push(i);
        continue;
      }
      e.block = newBlock(fn, "");
      e.location = i.location;
      replacements.set(i, choose(e, read));
      for (const made of e.block.instructions) {
        made.block = block;
        out.push(made);
      }
    }
    block.instructions = out;
  }
  replaceUses(fn, replacements);
  // The addresses that were computed for them.
  cleanUp(fn);
}

/** An index in 32 bits. */
function resized(e: Emitter, index: IrValue): IrValue {
  const bits = scalarBits(index.type);
  if (bits === 32) return index;
  return e.cast(bits > 32 ? "trunc" : "sext", index, I32);
}

function choose(e: Emitter, { load, index, array }: ComputedRead): IrValue {
  const elementBytes = sizeOf(load.type);
  const elements = sizeOf(array.allocatedType) / elementBytes;
  const at = resized(e, index);
  const element = (n: number): IrValue =>
    e.load(load.type, n === 0 ? array : e.offset(array, n * elementBytes), load.align);
  let chosen = element(0);
  for (let n = 1; n < elements; n++) chosen = e.select(e.icmp("eq", at, constI32(n)), element(n), chosen);
  return chosen;
}

/** Empty where something else is done with the array. */
function computedReads(array: AllocaInstruction, uses: UseMap): ComputedRead[] {
  const bytes = sizeOf(array.allocatedType);
  const found: ComputedRead[] = [];
  let elementBytes = 0;
  const isElement = (size: number, offset: number): boolean => {
    if (elementBytes === 0) elementBytes = size;
    return size === elementBytes && offset % size === 0 && offset >= 0 && offset < bytes;
  };
  const visit = (pointer: IrInstruction, offset: number): boolean =>
    (uses.get(pointer) ?? []).every((user) => {
      switch (user.op) {
        case "load":
          return !user.volatile && user.ordering === null && isElement(sizeOf(user.type), offset);
        case "store":
          return (
            !user.volatile &&
            user.ordering === null &&
            user.value !== pointer &&
            isElement(sizeOf(user.value.type), offset)
          );
        case "gep": {
          if (user.base !== pointer || user.type.kind !== "ptr") return false;
          const step = gepOffset(user.sourceType, user.indices);
          return step.terms.length === 0
            ? visit(user, offset + step.constant)
            : offset + step.constant === 0 && visitComputed(user, step.terms);
        }
        default:
          return false;
      }
    });
  const visitComputed = (
    gep: GepInstruction,
    terms: readonly { readonly index: IrValue; readonly scale: number }[],
  ): boolean => {
    const [term, other] = terms;
    if (term === undefined || other !== undefined) return false;
    return (uses.get(gep) ?? []).every((user) => {
      if (
        user.op !== "load" ||
        user.volatile ||
        user.ordering !== null ||
        term.scale !== sizeOf(user.type) ||
        !isElement(term.scale, 0)
      )
        return false;
      found.push({ load: user, index: term.index, array });
      return true;
    });
  };
  return visit(array, 0) &&
    found.length <= MAX_READS &&
    Number.isInteger(bytes / elementBytes) &&
    bytes / elementBytes <= MAX_ELEMENTS
    ? found
    : [];
}
