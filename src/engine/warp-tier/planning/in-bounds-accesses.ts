/**
 * Which loads, stores and atomic operations need no bounds test: their addresses lie inside a variable whose size is
 * known when the kernel is compiled. Such are the static part of the block's shared window, device and constant
 * variables, a thread's local arrays, and structures passed by value.
 *
 * Lattice: that of value-ranges.ts, which finds the addresses. Used by: the warp tier's loads and stores.
 */
import { forEachSymbol } from "../../../ir/model/constant-symbols.ts";
import type { IrConstant, IrGlobal, IrInstruction, IrParam, IrValue } from "../../../ir/model/ir.ts";
import { sizeOf } from "../../../ir/model/layout.ts";
import { isToolAddress } from "../../../machine/observer.ts";
import { constantBits } from "../../emit/constants.ts";
import type { Addresses } from "../../emit/environment.ts";
import type { LoadedKernel } from "../../executor.ts";
import type { Dim3 } from "../../../base/dim3.ts";
import { bug } from "../../../base/diagnostics.ts";
import type { WarpAnalysis } from "../../../analysis/divergence/divergence.ts";
import { exactly } from "../../../analysis/values/intervals.ts";
import { alignOfConstant } from "../../../base/align.ts";
import { ValueRanges, type RangeLanes, type RangeSources, type Region, type ValueRange } from "./value-ranges.ts";

/** What the runner gives the windows (runner.ts). */
const SHARED_ALIGN = 256;
const LOCAL_ALIGN = 16;
const PARAMS_ALIGN = 16;

export class RangeChecks {
  readonly #analysis: WarpAnalysis;
  readonly #sources: RangeSources;
  readonly #made = new Map<RangeLanes, ValueRanges>();

  constructor(analysis: WarpAnalysis, kernel: LoadedKernel, block: Dim3, addresses: Addresses) {
    this.#analysis = analysis;
    this.#sources = { block, leaf: leafRanges(kernel, addresses), local: localRegions() };
  }

  /** An access at the pointer is legal and aligned in every lane that executes it, or in all 32. */
  isProvenInBounds(pointer: IrValue, bytes: number, align: number, lanes: RangeLanes): boolean {
    // A tool's code accesses its own memory, where it means to: its promise (machine/observer.ts).
    if (lanes === "active" && isToolAddress(pointer)) return true;
    const { region, interval } = this.rangesOf(lanes).of(pointer);
    if (region === null || interval.lo < 0 || interval.hi + bytes > region.bytes) return false;
    return region.align % align === 0 && interval.lo % align === 0 && interval.step % align === 0;
  }

  /** The pointer is into the block's shared window, wherever in it (or beyond, which only a faulty program does). */
  isInSharedWindow(pointer: IrValue): boolean {
    return this.rangesOf("active").of(pointer).region?.isSharedWindow === true;
  }

  rangesOf(lanes: RangeLanes): ValueRanges {
    let ranges = this.#made.get(lanes);
    if (ranges === undefined) this.#made.set(lanes, (ranges = new ValueRanges(this.#analysis, this.#sources, lanes)));
    return ranges;
  }
}

function localRegions(): RangeSources["local"] {
  const regions = new Map<IrInstruction, Region>();
  return (i) => {
    if (i.count !== null && i.count.kind !== "const-int") return null;
    let region = regions.get(i);
    if (region === undefined) {
      const count = i.count === null ? 1 : Number(i.count.value);
      regions.set(
        i,
        (region = { bytes: sizeOf(i.allocatedType) * count, align: Math.min(Math.max(i.align, 1), LOCAL_ALIGN) }),
      );
    }
    return region;
  };
}

function leafRanges(kernel: LoadedKernel, addresses: Addresses): RangeSources["leaf"] {
  const shared: Region = { bytes: kernel.staticSharedBytes, align: SHARED_ALIGN, isSharedWindow: true };
  const regions = new Map<IrGlobal | IrParam, Region>();
  const sharedOffset = (name: string): number =>
    kernel.sharedOffsets.get(name) ?? bug(`shared variable ${name} has no place`);
  const ofParam = (param: IrParam): ValueRange | null => {
    if (param.byval === null) return null;
    const place = kernel.params[param.index] ?? bug(`parameter ${param.index} of ${kernel.name}`);
    let region = regions.get(param);
    if (region === undefined) {
      regions.set(
        param,
        (region = { bytes: place.size, align: Math.min(PARAMS_ALIGN, alignOfConstant(place.offset)) }),
      );
    }
    return { region, interval: exactly(0) };
  };
  const ofConstant = (constant: IrConstant): ValueRange | null => {
    const variable = variableOf(constant);
    if (variable === null || (variable.type.addressSpace !== 3 && addresses.global(variable.name) === null))
      return null;
    const { bits, sharedRelative } = constantBits(constant, addresses, sharedOffset);
    if (sharedRelative) return { region: shared, interval: exactly(Number(BigInt.asIntN(32, bits))) };
    const start = addresses.global(variable.name);
    if (start === null) return null;
    let region = regions.get(variable);
    if (region === undefined) {
      regions.set(variable, (region = { bytes: sizeOf(variable.valueType), align: alignOfConstant(start) }));
    }
    return { region, interval: exactly(Number(BigInt.asIntN(32, bits - BigInt(start)))) };
  };
  return (value) => {
    if (value.kind === "param") return ofParam(value);
    return value.kind === "global" || value.kind === "const-expr" ? ofConstant(value) : null;
  };
}

/** The one variable that a constant address is in or beside; null where several are mentioned, or none. */
function variableOf(constant: IrConstant): IrGlobal | null {
  const symbols: IrGlobal[] = [];
  let mentionsFunction = false;
  forEachSymbol(constant, (symbol) => {
    if (symbol.kind === "global") symbols.push(symbol);
    else mentionsFunction = true;
  });
  return symbols.length === 1 && !mentionsFunction && isAddress(constant) ? symbols[0]! : null;
}

/** The variable's address and an offset, by operators that keep it an address. */
function isAddress(constant: IrConstant): boolean {
  if (constant.kind === "global") return true;
  if (constant.kind !== "const-expr") return false;
  const i = constant.instruction;
  if (i.op === "gep") return isAddress(i.base);
  if (i.op === "cast")
    return (
      isAddress(i.operand) &&
      (constant.type.kind === "ptr" || (constant.type.kind === "int" && constant.type.bits === 32))
    );
  return i.operator === "add" && (isAddress(i.lhs) || isAddress(i.rhs));
}
