/**
 * The parts of a compilation that all functions of a kernel share: the module, imports, sites, operations, signatures.
 */
import { bug, unsupported, type SourceLocation } from "../../base/diagnostics.ts";
import type { CallInstruction, IrFunction, IrInstruction } from "../../ir/model/ir.ts";
import { ModuleBuilder } from "../../wasm/module-builder.ts";
import type { FunctionBuilder } from "../../wasm/function-builder.ts";
import type { FunctionRef } from "../../wasm/types.ts";
import { pointerBitsOf } from "../../ir/model/layout.ts";
import type { LoadedKernel, LoadedProgram } from "../executor.ts";
import { reachableFunctions } from "../../ir/graph/reachable-functions.ts";
import {
  FAULT_CODES,
  importDeviceMemory,
  makeEnvironment,
  type AddressType,
  type EmitEnvironment,
  type MemoryKind,
} from "../emit/environment.ts";
import { LoopMarks } from "../emit/loop-marks.ts";
import type { Features } from "../emit/features.ts";
import { externalIntrinsics } from "../emit/external-intrinsics.ts";
import { type ExternalIntrinsic } from "../emit/environment.ts";
import type { Site, WaitOperation } from "../schedule/task.ts";
import { CONTEXT, LAUNCH_GLOBALS, STATUS, type LaunchGlobal } from "./layout.ts";
import { waitShapeOf } from "./operations.ts";

/** Functions of the host that compiled code calls; import module "host". */
export interface HostImports {
  /** (context, format, arguments) → characters written */
  readonly print: FunctionRef;
  /** () → nanoseconds */
  readonly clock: FunctionRef;
  readonly malloc: FunctionRef;
  readonly free: FunctionRef;
  /** (context, message, file, line, function) */
  readonly runChildGrids: FunctionRef;
  readonly assertFailed: FunctionRef;
}

export class ProgramCompiler {
  readonly program: LoadedProgram;
  readonly kernel: LoadedKernel;
  readonly module: ModuleBuilder = new ModuleBuilder();
  readonly env: EmitEnvironment;
  /** Of the program's pointers. */
  readonly addressType: AddressType;
  readonly host: HostImports;
  readonly externals: readonly ExternalIntrinsic[];
  readonly launchGlobals: Readonly<Record<LaunchGlobal, number>>;
  /** Counts effective changes of memory made inside loops that may spin. */
  readonly changes: number;
  readonly functions: ReadonlyMap<IrFunction, FunctionBuilder>;
  readonly table: number;
  readonly tableSize: number;
  readonly sites: Site[] = [];
  readonly loopMarks: LoopMarks;
  readonly operations: WaitOperation[] = [];
  readonly #siteOf = new Map<string, number>();
  readonly #locationNumbers = new Map<SourceLocation, number>();
  readonly #locationTexts = new Map<string, number>();
  readonly #operationOf = new Map<string, number>();

  constructor(program: LoadedProgram, kernel: LoadedKernel, features: Features, memory: MemoryKind) {
    this.program = program;
    this.kernel = kernel;
    importDeviceMemory(this.module, memory);
    const address = pointerBitsOf(program.module) === 64 ? "i64" : "i32";
    this.addressType = address;
    this.host = {
      print: this.module.importFunction("host", "print", ["i32", address, address, "i32"], ["i32"]),
      clock: this.module.importFunction("host", "clock", [], ["i64"]),
      malloc: this.module.importFunction("host", "malloc", [address], [address]),
      free: this.module.importFunction("host", "free", [address]),
      runChildGrids: this.module.importFunction("host", "runChildGrids", ["i32"], ["i32"]),
      assertFailed: this.module.importFunction("host", "assertFailed", ["i32", address, address, "i32", address]),
    };
    const addresses = {
      global: (name: string): number | null =>
        program.globalAddresses.get(name) ?? (kernel.sharedOffsets.has(name) ? null : bug(`no address for @${name}`)),
      functionAddress: (name: string): number =>
        program.functionAddresses.get(name) ?? bug(`no address for the function ${name}`),
    };
    const reached = reachableFunctions(kernel.function, program.functionTable);
    const bodies = [...reached].filter((f) => f.blocks.length > 0);
    this.externals = externalIntrinsics(bodies);
    this.env = makeEnvironment(this.module, addresses, features, this.externals, address);
    this.launchGlobals = Object.fromEntries(
      LAUNCH_GLOBALS.map((name) => {
        const index = this.module.global("i32", true, 0);
        this.module.exportGlobal(name, index);
        return [name, index];
      }),
    ) as Record<LaunchGlobal, number>;
    this.loopMarks = new LoopMarks(this.launchGlobals.loopWord);
    this.changes = this.module.global("i32", true, 0);
    this.module.exportGlobal("changes", this.changes);

    const functions = new Map<IrFunction, FunctionBuilder>();
    for (const f of bodies) functions.set(f, this.module.function(f.name, ["i32", "i32"], ["i32"]));
    this.functions = functions;
    this.tableSize = program.functionTable.length;
    this.table = this.module.table(this.tableSize, this.tableSize);
    const noFunction = this.module.function("no function", ["i32", "i32"], ["i32"]);
    noFunction
      .localGet(1)
      .i32Const(FAULT_CODES["illegal-instruction"])
      .i32Store(CONTEXT.faultCode)
      .i32Const(STATUS.fault);
    this.module.element(
      this.table,
      0,
      program.functionTable.map((f) => (f === null ? undefined : functions.get(f)) ?? noFunction),
    );
  }

  site(instruction: IrInstruction, access: Site["access"] = null): number {
    const { location } = instruction;
    const accessKey = access === null ? "" : `${access.bytes},${access.align},${access.kind}`;
    const key = `${this.#locationNumber(location)}|${accessKey}`;
    let index = this.#siteOf.get(key);
    if (index === undefined) {
      index = this.sites.length;
      this.sites.push({ location, access });
      this.#siteOf.set(key, index);
    }
    return index;
  }

  /** Equal places have equal numbers. */
  #locationNumber(location: SourceLocation | null): number {
    if (location === null) return 0;
    let number = this.#locationNumbers.get(location);
    if (number === undefined) {
      const text = JSON.stringify(location);
      number = this.#locationTexts.get(text);
      if (number === undefined) this.#locationTexts.set(text, (number = this.#locationTexts.size + 1));
      this.#locationNumbers.set(location, number);
    }
    return number;
  }

  /** A site of its own for every call: lanes that converge are told apart by it. */
  waitSite(instruction: CallInstruction): number {
    this.sites.push({ location: instruction.location, access: null });
    return this.sites.length - 1;
  }

  operation(operation: WaitOperation): number {
    const key = JSON.stringify(operation);
    let index = this.#operationOf.get(key);
    if (index === undefined) {
      index = this.operations.length;
      this.operations.push(operation);
      this.#operationOf.set(key, index);
    }
    return index;
  }
}

/** How a call behaves: a callee with a body (or computed), a wait, or something done in place. */
export type CallKind = "call" | "wait" | "inline";

export function callKind(call: CallInstruction): CallKind {
  if (call.callee.kind === "inline-asm" && call.callee.template.trim() === "" && call.type.kind === "void")
    return "inline"; // a barrier for the compiler
  if (call.callee.kind === "inline-asm")
    throw unsupported(`inline assembly "${call.callee.template}"`, call.location ?? undefined);
  if (call.callee.kind !== "function" || call.callee.blocks.length > 0) return "call";
  return waitShapeOf(call.callee.name) === null ? "inline" : "wait";
}
