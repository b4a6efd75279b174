/**
 * What code emission needs from its surroundings: the module under construction, the program's addresses, and what the
 * host's WebAssembly can do. Shared by the thread tier and the warp tier.
 */
import type { FunctionBuilder } from "../../wasm/function-builder.ts";
import type { Local } from "../../wasm/function-builder.ts";
import type { ModuleBuilder } from "../../wasm/module-builder.ts";
import type { FunctionRef, ValueType } from "../../wasm/types.ts";
import type { FunctionType, IrInstruction, IrType, IrValue } from "../../ir/model/ir.ts";
import { MAX_PAGES, MAX_WIDE_PAGES } from "../../machine/memory-map.ts";
import type { Features } from "./features.ts";

import { SupportFunctions } from "./support-functions.ts";
import { leavesOf, wasmTypeOf } from "./value-types.ts";
import type { MathImports } from "./math-imports.ts";

/**
 * Absolute addresses of globals and functions. A block-shared global is not here: the tier adds the block's window
 * base.
 */
export interface Addresses {
  /** null: the global is in block-shared memory. */
  global(name: string): number | null;
  functionAddress(name: string): number;
}

/**
 * Mutable globals with the legal addresses of the launch, biased by USER_BASE and scaled: an access of n = 2^k bytes,
 * aligned, at address a is legal when rotr(a - USER_BASE, k) <= limit[k]. Index k, 0 to 4. `bytes` is memoryTop -
 * USER_BASE.
 */
export interface AccessLimits {
  /** Of the globals: i64 where the program's pointers have 64 bits. */
  readonly type: AddressType;
  readonly scaled: readonly number[];
  readonly bytes: number;
}

export type AddressType = "i32" | "i64";

/** The memory that a kernel's module imports. */
export interface MemoryKind {
  /** Threads share it. */
  readonly sharedMemory: boolean;
  /** Its addresses have 64 bits, whatever the program's pointers have. */
  readonly wideMemory?: boolean;
}

export function importDeviceMemory(module: ModuleBuilder, { sharedMemory, wideMemory = false }: MemoryKind): void {
  const maxPages = wideMemory ? MAX_WIDE_PAGES : MAX_PAGES;
  module.importMemory("env", "memory", { minPages: 1, maxPages, shared: sharedMemory, wide: wideMemory });
}

export interface EmitEnvironment {
  readonly module: ModuleBuilder;
  readonly addresses: Addresses;
  readonly features: Features;
  readonly math: MathImports;
  /** Imported pure intrinsics by name (module "pure"). */
  readonly externals: ReadonlyMap<string, FunctionRef>;
  readonly limits: AccessLimits;
  readonly support: SupportFunctions;
}

/** Why emitted code gives up; the numbers stand in fault records. */
export const FAULT_CODES = {
  address: 1, // illegal or misaligned: the reader decides from the address and the site's alignment
  "illegal-instruction": 2,
  assert: 3,
  trap: 4,
  "stack-overflow": 5,
  yieldless: 6, // a wait where this tier cannot wait: our bug
} as const;
export type FaultCode = keyof typeof FAULT_CODES;

/**
 * What one scalar instruction is emitted with. `get` and `set` work on the wasm stack, in canonical form
 * (value-types.ts).
 */
export interface ScalarContext {
  readonly env: EmitEnvironment;
  readonly code: FunctionBuilder;
  /** Pushes a value; `component` chooses a leaf of an aggregate. */
  get(value: IrValue, component?: number): void;
  /** Pops into the result (or into leaf `component` of it). */
  set(instruction: IrInstruction, component?: number): void;
  /** Emits: write a fault record and leave. `address` and `bytes` as locals or constants where known. */
  fault(
    reason: FaultCode,
    instruction: IrInstruction,
    address?: Local,
    bytes?: Local | { readonly constant: number },
  ): void;
  /**
   * Pops a condition: if it is not 0, write a record of an address fault and leave. For tiers that place fault code
   * apart; without it `fault` is emitted in an if. The access is the site's.
   */
  readonly addressFaultIf?: (instruction: IrInstruction, address: Local) => void;
  /**
   * Called before a check is emitted. True if the same pointer was checked on every path here, for as many bytes and as
   * strict an alignment. Otherwise the tier may assume that it is checked from here on.
   */
  readonly alreadyChecked?: (pointer: IrValue, bytes: number, align: number) => boolean;
  /** A local that is 1 where the instruction's address was found good ahead of it, or null. */
  readonly flagOf?: (instruction: IrInstruction) => Local | null;
  /**
   * Called before an atomic operation. True if no other thread of the host can access the memory while this code runs:
   * shared memory of a block whose warps run on one thread. Plain loads and stores suffice then.
   */
  readonly isUnshared?: (pointer: IrValue) => boolean;
  /** Emits: count one effective change of memory (deadlock detection in spin loops). null if it is not needed. */
  readonly noteChange: (() => void) | null;
}

/** Declares the imports and globals; call before any function is made. */
export function makeEnvironment(
  module: ModuleBuilder,
  addresses: Addresses,
  features: Features,
  externals: readonly ExternalIntrinsic[] = [],
  type: AddressType = "i32",
): EmitEnvironment {
  const math: MathImports = {
    fma64: module.importFunction("math", "fma64", ["f64", "f64", "f64"], ["f64"]),
    fmod: module.importFunction("math", "fmod", ["f64", "f64"], ["f64"]),
    exp2: module.importFunction("math", "exp2", ["f64"], ["f64"]),
    log2: module.importFunction("math", "log2", ["f64"], ["f64"]),
    sin: module.importFunction("math", "sin", ["f64"], ["f64"]),
    cos: module.importFunction("math", "cos", ["f64"], ["f64"]),
    tanh: module.importFunction("math", "tanh", ["f64"], ["f64"]),
  };
  const externalRefs = new Map(
    externals.map(({ name, type }) => [
      name,
      module.importFunction("pure", name, leafTypes(type.params), leafTypes([type.result])),
    ]),
  );
  const scaled = [0, 1, 2, 3, 4].map((k) => {
    const index = module.global(type, true);
    module.exportGlobal(`limit${k}`, index);
    return index;
  });
  const bytes = module.global(type, true);
  module.exportGlobal("limitBytes", bytes);
  return {
    module,
    addresses,
    features,
    math,
    externals: externalRefs,
    limits: { type, scaled, bytes },
    support: new SupportFunctions(module, math, features),
  };
}

/** The leaves of a signature's parameters or result, as wasm types. */
function leafTypes(types: readonly IrType[]): ValueType[] {
  return types.flatMap((type) => leavesOf(type)).map((leaf) => wasmTypeOf(leaf));
}

export interface ExternalIntrinsic {
  readonly name: string;
  readonly type: FunctionType;
}
