/**
 * Where the variables of a module are: global ones one after another in the window, __constant__ ones in one array in
 * `.const`, so that the program's address of each is its place in that array; shared ones are declared for the
 * assembler, which places them.
 */
import { isLlvmName } from "../../ir/intrinsics/name-fields.ts";
import { HeddleError, unsupported } from "../../base/diagnostics.ts";
import { forEachScalar, writeConstant } from "../../ir/model/constant-bits.ts";
import type { IrConstant, IrFunction, IrGlobal, IrModule } from "../../ir/model/ir.ts";
import { DYNAMIC_SHARED_ALIGN, alignOf, isDynamicShared, sizeOf, storeSize } from "../../ir/model/layout.ts";
import { alignUp } from "../../base/align.ts";
import { CONSTANT_BYTES } from "../address-map.ts";
import type { PtxModule, PtxTarget, PtxVariable } from "../ptx-module.ts";
import { symbolPlusOffset } from "./symbol-offsets.ts";
import { ptxName } from "./ptx-types.ts";

export const CONSTANTS_SYMBOL = "heddle_constants";

export interface VariableLayout {
  /** The program's address of every variable outside of shared memory. */
  readonly addresses: ReadonlyMap<string, number>;
  readonly globals: readonly IrGlobal[];
  readonly constants: readonly IrGlobal[];
  readonly shared: readonly IrGlobal[];
  readonly variablesBytes: number;
  readonly constantsBytes: number;
}

const SHARED_SPACE = 3;
const CONSTANT_SPACE = 4;

export function variableAlign(global: IrGlobal): number {
  return Math.max(global.align || 1, alignOf(global.valueType));
}

/** Throws HeddleError("link-error") for a variable that is declared and nowhere defined. */
export function layOutVariables(module: IrModule, target: PtxTarget): VariableLayout {
  const addresses = new Map<string, number>();
  const all = [...module.globals.values()].filter((global) => !isLlvmName(global.name));
  const shared = all.filter((global) => global.type.addressSpace === SHARED_SPACE);
  const place = (globals: readonly IrGlobal[], base: number): number => {
    let end = base;
    for (const global of globals) {
      if (global.initializer === null)
        throw new HeddleError("link-error", `the device variable ${global.name} is declared but nowhere defined`);
      end = alignUp(end, variableAlign(global));
      addresses.set(global.name, end);
      end += Math.max(1, sizeOf(global.valueType));
    }
    return end - base;
  };
  const globals = all.filter(
    (global) => global.type.addressSpace !== SHARED_SPACE && global.type.addressSpace !== CONSTANT_SPACE,
  );
  const constants = all.filter((global) => global.type.addressSpace === CONSTANT_SPACE);
  // With 64-bit pointers the driver places variables: the numbers only add up sizes.
  const variablesBytes = place(globals, target.window?.variablesBase ?? 0);
  const constantsBytes = place(constants, target.window?.constantsBase ?? 0);
  if (constantsBytes > CONSTANT_BYTES) {
    throw unsupported(`${constantsBytes} bytes of __constant__ variables on a GPU, which has ${CONSTANT_BYTES}`);
  }
  return { addresses, globals, constants, shared, variablesBytes, constantsBytes };
}

type Resolver = (symbol: IrGlobal | IrFunction) => number;

function initialBytes(global: IrGlobal, addressOf: Resolver): Uint8Array | null {
  if (
    global.initializer === null ||
    global.initializer.kind === "const-zero" ||
    global.initializer.kind === "const-undef"
  )
    return null;
  const bytes = new Uint8Array(Math.max(1, sizeOf(global.valueType)));
  writeConstant(bytes, 0, global.initializer, addressOf);
  return bytes.some((byte) => byte !== 0) ? bytes : null;
}

export function describeVariables(
  layout: VariableLayout,
  { window }: PtxTarget,
  addressOf: Resolver,
): Map<string, PtxVariable> {
  const variables = new Map<string, PtxVariable>();
  for (const [space, globals] of [
    ["global", layout.globals],
    ["constant", layout.constants],
  ] as const) {
    for (const global of globals) {
      variables.set(global.name, {
        name: global.name,
        space,
        symbol: window === null ? ptxName(global.name) : null,
        address: window === null ? 0 : (layout.addresses.get(global.name) as number),
        bytes: sizeOf(global.valueType),
        align: variableAlign(global),
        initial: space === "global" && window !== null ? initialBytes(global, addressOf) : null,
      });
    }
  }
  return variables;
}

export function constantsOf(layout: VariableLayout, { window }: PtxTarget): PtxModule["constants"] {
  return layout.constants.length === 0 || window === null
    ? null
    : { symbol: CONSTANTS_SYMBOL, bytes: layout.constantsBytes };
}

/** Declarations of the constant array and of shared variables; with 64-bit pointers, of all variables. */
export function declareVariables(
  layout: VariableLayout,
  target: PtxTarget,
  names: {
    readonly addressOf: Resolver;
    readonly sharedName: (global: IrGlobal) => string;
    readonly functionName: (fn: IrFunction) => string;
  },
): string {
  const { window } = target;
  const placed =
    window === null
      ? nativeVariables(layout, names.functionName)
      : constantArray(layout, window.constantsBase, names.addressOf);
  return [...placed, ...layout.shared.map((global) => declareShared(global, names.sharedName(global)))].join("\n");
}

/** One array in .const, so that the program's address of each variable is its place in it. */
function constantArray(layout: VariableLayout, constantsBase: number, addressOf: Resolver): string[] {
  if (layout.constants.length === 0) return [];
  const bytes = new Uint8Array(layout.constantsBytes);
  for (const global of layout.constants) {
    const at = (layout.addresses.get(global.name) as number) - constantsBase;
    if (global.initializer !== null) writeConstant(bytes, at, global.initializer, addressOf);
  }
  return [`.visible .const .align 256 .b8 ${CONSTANTS_SYMBOL}[${layout.constantsBytes}]${byteList(bytes)};`];
}

function byteList(bytes: Uint8Array): string {
  const last = bytes.findLastIndex((byte) => byte !== 0);
  return last < 0 ? "" : ` = {${bytes.subarray(0, last + 1).join(",")}}`;
}

function declareShared(global: IrGlobal, name: string): string {
  const align = variableAlign(global);
  // All dynamic arrays begin at the same place, whose alignment is the strictest that CUDA promises.
  if (isDynamicShared(global)) return `.extern .shared .align ${Math.max(DYNAMIC_SHARED_ALIGN, align)} .b8 ${name}[];`;
  return `.shared .align ${align} .b8 ${name}[${Math.max(1, sizeOf(global.valueType))}];`;
}

/** What holds no address first: a name is declared before it is used. */
function nativeVariables(layout: VariableLayout, functionName: (fn: IrFunction) => string): string[] {
  const withoutAddresses: string[] = [];
  const withAddresses: string[] = [];
  for (const global of [...layout.constants, ...layout.globals]) {
    const symbols = addressesIn(global, functionName);
    const space = global.type.addressSpace === CONSTANT_SPACE ? "const" : "global";
    const head = `.visible .${space} .align ${variableAlign(global)}`;
    const size = Math.max(1, sizeOf(global.valueType));
    if (symbols.size === 0) {
      const bytes = new Uint8Array(size);
      if (global.initializer !== null) writeConstant(bytes, 0, global.initializer, () => 0);
      withoutAddresses.push(`${head} .b8 ${ptxName(global.name)}[${size}]${byteList(bytes)};`);
    } else withAddresses.push(`${head} .u64 ${ptxName(global.name)}[${size / 8}] = {${words(global, symbols)}};`);
  }
  return [...withoutAddresses, ...withAddresses];
}

/** By their offsets, the addresses that a variable's initialiser has. */
function addressesIn(global: IrGlobal, functionName: (fn: IrFunction) => string): Map<number, string> {
  const found = new Map<number, string>();
  if (global.initializer === null) return found;
  forEachScalar(global.initializer, 0, (scalar, offset) => {
    const place = scalar.kind === "const-bytes" ? null : symbolPlusOffset(scalar);
    if (place === null) return;
    const { symbol, offset: distance } = place;
    if (offset % 8 !== 0 || storeSize(scalar.type) !== 8)
      throw unsupported(`the address of ${symbol.name} in ${global.name}, which is not a whole word of it`);
    if (symbol.kind === "function") found.set(offset, functionName(symbol));
    else found.set(offset, `generic(${ptxName(symbol.name)})${distance === 0n ? "" : `+${distance}`}`);
  });
  if (found.size > 0 && sizeOf(global.valueType) % 8 !== 0)
    throw unsupported(`addresses in ${global.name}, whose size is not a multiple of 8 bytes`);
  return found;
}

function words(global: IrGlobal, symbols: ReadonlyMap<number, string>): string {
  const bytes = new Uint8Array(sizeOf(global.valueType));
  writeConstant(bytes, 0, global.initializer as IrConstant, () => 0);
  const view = new DataView(bytes.buffer);
  return Array.from(
    { length: bytes.length / 8 },
    (_, i) => symbols.get(i * 8) ?? String(view.getBigUint64(i * 8, true)),
  ).join(", ");
}
