/** Pointers of 32 bits: offsets into one window of 4 GiB of the GPU's addresses (address-map.ts). */
import { isConstant } from "../../ir/model/build.ts";
import type { IrConstant, IrFunction, IrValue } from "../../ir/model/ir.ts";
import { scalarBits } from "../../ir/model/types.ts";
import type { PointerSpace } from "../../analysis/pointers/pointer-spaces.ts";
import { bug } from "../../base/diagnostics.ts";
import {
  CLUSTER_RANK_SHIFT,
  CONSTANT_ALIAS,
  FOLDED_RANK_SHIFT,
  GLOBAL_START,
  LOCAL_ALIAS,
  SHARED_ALIAS,
} from "../address-map.ts";
import { signExtended } from "./arithmetic.ts";
import type { PointerModel, PointerTerm, PtxAddress } from "./pointer-model.ts";
import type { PtxFunction } from "./ptx-function.ts";
import { CONSTANTS_SYMBOL } from "./variables.ts";
import type { PtxWindow } from "../ptx-module.ts";

/** Of generic pointers, by the memory that they point into: from the first up to the second. */
const RANGES: Readonly<Record<"shared" | "local" | "constant", readonly [number, number]>> = {
  shared: [SHARED_ALIAS, LOCAL_ALIAS],
  local: [LOCAL_ALIAS, CONSTANT_ALIAS],
  constant: [CONSTANT_ALIAS, GLOBAL_START],
};

export class WindowPointers implements PointerModel {
  readonly bits = 32;
  readonly held = "r";
  readonly prepares = true;
  readonly #window: PtxWindow;

  constructor(window: PtxWindow) {
    this.#window = window;
  }

  constant(f: PtxFunction, constant: IrConstant): string {
    return String(f.program.bits(constant));
  }

  toGeneric(f: PtxFunction, operand: string, held: PointerSpace): string {
    if (held === "shared") return sharedToGeneric(f, operand);
    if (held === "local") return f.make("r", `add.s32 $d, ${operand}, ${LOCAL_ALIAS}`);
    if (held === "param") return bug("the address of a kernel's parameter");
    return operand;
  }

  fromGeneric(f: PtxFunction, generic: string, space: PointerSpace): string {
    if (space === "shared") return genericToShared(f, generic);
    if (space === "local") return f.make("r", `sub.s32 $d, ${generic}, ${LOCAL_ALIAS}`);
    return generic;
  }

  wideAddress(f: PtxFunction, value: IrValue): string {
    const space = f.spaceOf(value);
    const generic = this.toGeneric(f, f.operand(value), space);
    if (isConstant(value) && !generic.startsWith("%"))
      return f.make("rd", `mov.b64 $d, ${this.#window.windowBase + BigInt(generic)}`);
    return this.widen(f, generic, space);
  }

  widen(f: PtxFunction, pointer: string, space: PointerSpace): string {
    const high = this.#window.windowBase >> 32n;
    const inWindow = f.make("rd", `mov.b64 $d, {${f.inRegister(pointer, "r")}, ${high}}`);
    const { shared, local, constant } = f.program.reachable;
    if (space === "global" || (!shared && !local && !constant)) return inWindow;
    return this.#widenGeneric(f, pointer, inWindow);
  }

  /** Below the first address of the window that is mapped, the range says which of the GPU's own windows is meant. */
  #widenGeneric(f: PtxFunction, pointer: string, inWindow: string): string {
    const { shared, local, constant } = f.program.reachable;
    const choices: [string, number][] = [];
    if (constant) choices.push([f.make("rd", `mov.b64 $d, ${CONSTANTS_SYMBOL}`), this.#window.constantsBase]);
    if (local) choices.push([f.make("rd", "cvta.local.u64 $d, 0"), LOCAL_ALIAS]);
    if (shared) choices.push([f.make("rd", "cvta.shared.u64 $d, 0"), SHARED_ALIAS]);
    const first = choices[0] as [string, number];
    if (constant) first[0] = f.make("rd", `cvta.const.u64 $d, ${first[0]}`);
    const wide = f.make("rd", `cvt.u64.u32 $d, ${pointer}`);
    let chosen = "";
    choices.forEach(([start, alias], i) => {
      const within =
        alias === SHARED_ALIAS && f.program.usesClusters
          ? f.make("rd", `cvt.u64.u32 $d, ${genericToShared(f, pointer)}`)
          : f.make("rd", `sub.s64 $d, ${wide}, ${alias}`);
      const moved = f.make("rd", `add.s64 $d, ${within}, ${start}`);
      if (i === 0) {
        chosen = moved;
        return;
      }
      const below = alias === LOCAL_ALIAS ? CONSTANT_ALIAS : LOCAL_ALIAS;
      const isHere = f.make("p", `setp.lt.u32 $d, ${pointer}, ${below}`);
      chosen = f.make("rd", `selp.b64 $d, ${moved}, ${chosen}, ${isHere}`);
    });
    // Null and its neighbours stay what they are, so that they fault.
    const distance = f.make("r", `sub.s32 $d, ${pointer}, ${SHARED_ALIAS}`);
    const special = f.make("p", `setp.lt.u32 $d, ${distance}, ${GLOBAL_START - SHARED_ALIAS}`);
    return f.make("rd", `selp.b64 $d, ${chosen}, ${inWindow}, ${special}`);
  }

  constantAddress(f: PtxFunction, base: IrValue, offset: number): PtxAddress {
    const { constantsBase } = this.#window;
    if (isConstant(base)) {
      const at = Number(f.program.bits(base)) - constantsBase + offset;
      return { space: ".const", text: at === 0 ? `[${CONSTANTS_SYMBOL}]` : `[${CONSTANTS_SYMBOL}+${at}]` };
    }
    const relative = f.make("r", `sub.s32 $d, ${f.operand(base)}, ${constantsBase - offset}`);
    const start = f.make("rd", `mov.b64 $d, ${CONSTANTS_SYMBOL}`);
    const wide = f.make("rd", `cvt.u64.u32 $d, ${relative}`);
    return { space: ".const", text: `[${f.make("rd", `add.s64 $d, ${start}, ${wide}`)}]` };
  }

  /** Modulo 2^32. */
  add(f: PtxFunction, base: string, terms: readonly PointerTerm[], constant: number): string {
    let sum = base;
    for (const { index, scale } of terms) {
      const value = indexIn32Bits(f, index);
      if (scale === 1) sum = f.make("r", `add.s32 $d, ${f.inRegister(sum, "r")}, ${value}`);
      else if (scale > 0 && (scale & (scale - 1)) === 0) {
        const bytes = f.make("r", `shl.b32 $d, ${f.inRegister(value, "r")}, ${Math.log2(scale)}`);
        sum = f.make("r", `add.s32 $d, ${bytes}, ${sum}`);
      } else sum = f.make("r", `mad.lo.s32 $d, ${f.inRegister(value, "r")}, ${scale | 0}, ${sum}`);
    }
    return constant === 0 ? sum : f.make("r", `add.s32 $d, ${f.inRegister(sum, "r")}, ${constant | 0}`);
  }

  testSpace(
    f: PtxFunction,
    register: string,
    generic: string,
    space: "global" | "shared" | "local" | "constant",
  ): void {
    const pointer = f.inRegister(generic, "r");
    if (space === "global") return f.emit(`setp.ge.u32 ${register}, ${pointer}, ${GLOBAL_START}`);
    const [from, to] = RANGES[space];
    f.emit(`setp.lt.u32 ${register}, ${f.make("r", `sub.s32 $d, ${pointer}, ${from}`)}, ${to - from}`);
  }

  /** A function pointer is an index into the table of functions. */
  functionAddress(f: PtxFunction, pointer: IrValue): string {
    const table = f.make("rd", "mov.b64 $d, heddle_functions");
    const at = f.make("rd", `mad.wide.u32 $d, ${f.register(pointer)}, 8, ${table}`);
    return f.make("rd", `ld.global.b64 $d, [${at}]`);
  }

  functionTable(functions: readonly (IrFunction | null)[], nameOf: (fn: IrFunction | null) => string): string {
    if (functions.length < 2) return "";
    return `.global .align 8 .u64 heddle_functions[${functions.length}] = {${functions.map(nameOf).join(", ")}};`;
  }
}

/** Of what is above 32 bits, nothing is left in an address. */
function indexIn32Bits(f: PtxFunction, index: IrValue): string {
  if (scalarBits(index.type) === 64) return f.make("r", `cvt.u32.u64 $d, ${f.register(index)}`);
  return signExtended(f, index);
}

/** A block's number in its cluster lies above the address in .shared; generic pointers have it folded down. */
function sharedToGeneric(f: PtxFunction, address: string): string {
  if (!f.program.usesClusters) return f.make("r", `add.s32 $d, ${address}, ${SHARED_ALIAS}`);
  const rank = f.make("r", `shr.u32 $d, ${address}, ${CLUSTER_RANK_SHIFT}`);
  const rankBits = `${FOLDED_RANK_SHIFT}, ${32 - FOLDED_RANK_SHIFT}`;
  const folded = f.make("r", `bfi.b32 $d, ${rank}, ${f.inRegister(address, "r")}, ${rankBits}`);
  return f.make("r", `add.s32 $d, ${folded}, ${SHARED_ALIAS}`);
}

function genericToShared(f: PtxFunction, generic: string): string {
  const folded = f.make("r", `sub.s32 $d, ${generic}, ${SHARED_ALIAS}`);
  if (!f.program.usesClusters) return folded;
  const rank = f.make("r", `shr.u32 $d, ${folded}, ${FOLDED_RANK_SHIFT}`);
  const within = f.make("r", `and.b32 $d, ${folded}, ${(1 << FOLDED_RANK_SHIFT) - 1}`);
  return f.make("r", `bfi.b32 $d, ${rank}, ${within}, ${CLUSTER_RANK_SHIFT}, ${32 - CLUSTER_RANK_SHIFT}`);
}
