/**
 * Where the variables of a module are: global ones one after another in the window, __constant__ ones in one array in
 * `.const`, so that the program's address of each is its place in that array; shared ones are declared for the
 * assembler, which places them.
 */
import { HeddleError, unsupported } from "../../base/diagnostics.ts";
import { writeConstant } from "../../ir/model/constant-bits.ts";
import type { IrFunction, IrGlobal, IrModule } from "../../ir/model/ir.ts";
import { alignOf, isDynamicShared, sizeOf } from "../../ir/model/layout.ts";
import { alignUp } from "../../base/align.ts";
import { CONSTANT_BYTES } from "../address-map.ts";
import type { PtxModule, PtxTarget, PtxVariable } from "../ptx-module.ts";

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
  const all = [...module.globals.values()].filter((global) => !global.name.startsWith("llvm."));
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
  const variablesBytes = place(globals, target.variablesBase);
  const constantsBytes = place(constants, target.constantsBase);
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

export function describeVariables(layout: VariableLayout, addressOf: Resolver): Map<string, PtxVariable> {
  const variables = new Map<string, PtxVariable>();
  for (const [space, globals] of [
    ["global", layout.globals],
    ["constant", layout.constants],
  ] as const) {
    for (const global of globals) {
      variables.set(global.name, {
        name: global.name,
        space,
        address: layout.addresses.get(global.name) as number,
        bytes: sizeOf(global.valueType),
        align: variableAlign(global),
        initial: space === "global" ? initialBytes(global, addressOf) : null,
      });
    }
  }
  return variables;
}

export function constantsOf(layout: VariableLayout): PtxModule["constants"] {
  return layout.constants.length === 0 ? null : { symbol: CONSTANTS_SYMBOL, bytes: layout.constantsBytes };
}

/** Declarations of the constant array and of shared variables. */
export function declareVariables(
  layout: VariableLayout,
  target: PtxTarget,
  addressOf: Resolver,
  sharedName: (global: IrGlobal) => string,
): string {
  const lines: string[] = [];
  if (layout.constants.length > 0) {
    const bytes = new Uint8Array(layout.constantsBytes);
    for (const global of layout.constants) {
      if (global.initializer !== null)
        writeConstant(
          bytes,
          (layout.addresses.get(global.name) as number) - target.constantsBase,
          global.initializer,
          addressOf,
        );
    }
    const last = bytes.findLastIndex((byte) => byte !== 0);
    const values = last < 0 ? "" : ` = {${bytes.subarray(0, last + 1).join(",")}}`;
    lines.push(`.visible .const .align 256 .b8 ${CONSTANTS_SYMBOL}[${layout.constantsBytes}]${values};`);
  }
  for (const global of layout.shared) {
    const align = variableAlign(global);
    // All dynamic arrays begin at the same place, whose alignment is the strictest that CUDA promises.
    if (isDynamicShared(global))
      lines.push(`.extern .shared .align ${Math.max(16, align)} .b8 ${sharedName(global)}[];`);
    else lines.push(`.shared .align ${align} .b8 ${sharedName(global)}[${Math.max(1, sizeOf(global.valueType))}];`);
  }
  return lines.join("\n");
}
