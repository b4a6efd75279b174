/** What the code of every function of a module needs to know of the module. */
import { bug, unsupported } from "../../base/diagnostics.ts";
import { constantBits } from "../../ir/model/constant-bits.ts";
import type { IrConstant, IrFunction, IrGlobal, IrModule } from "../../ir/model/ir.ts";
import { ptxName } from "./ptx-types.ts";
import type { PtxTarget } from "../ptx-module.ts";
import type { PointerModel } from "./pointer-model.ts";
import type { VariableLayout } from "./variables.ts";

export class ProgramFacts {
  readonly module: IrModule;
  readonly target: PtxTarget;
  readonly pointers: PointerModel;
  readonly variables: VariableLayout;
  /** Functions whose address is taken, by their number; 0 is null. */
  readonly functionTable: readonly (IrFunction | null)[];
  readonly functionNumbers: ReadonlyMap<string, number>;
  /** Whether a generic pointer may point there at all: what cannot happen needs no code. */
  readonly reachable: {
    readonly shared: boolean;
    readonly local: boolean;
    readonly constant: boolean;
    readonly param: boolean;
  };
  /** Whether addresses of shared memory may be those of other blocks of a cluster. */
  readonly usesClusters: boolean;
  /** Source files that `.loc` names, by number from 1. */
  readonly files: Map<string, number> = new Map();
  /** Declarations of functions of the system that the code calls. */
  readonly externals: Set<string> = new Set();
  #labels = 0;

  constructor(
    module: IrModule,
    target: PtxTarget,
    pointers: PointerModel,
    variables: VariableLayout,
    functions: { table: readonly (IrFunction | null)[]; numbers: ReadonlyMap<string, number> },
    reachable: ProgramFacts["reachable"],
    usesClusters: boolean,
  ) {
    this.module = module;
    this.target = target;
    this.pointers = pointers;
    this.variables = variables;
    this.functionTable = functions.table;
    this.functionNumbers = functions.numbers;
    this.reachable = reachable;
    this.usesClusters = usesClusters;
  }

  /** 80 for compute capability 8.0. */
  get architecture(): number {
    return this.target.computeCapability.major * 10 + this.target.computeCapability.minor;
  }

  /** The bits of a scalar constant that names no shared variable. */
  bits(constant: IrConstant): bigint {
    return constantBits(constant, (symbol) => this.addressOf(symbol));
  }

  addressOf(symbol: IrGlobal | IrFunction): number {
    if (symbol.kind === "function") return this.functionNumbers.get(symbol.name) ?? bug(`${symbol.name} has no number`);
    return this.variables.addresses.get(symbol.name) ?? unsupportedAddress(symbol);
  }

  functionName(fn: IrFunction): string {
    return fn.isKernel ? ptxName(fn.name) : `fn_${ptxName(fn.name)}`;
  }
  sharedName(global: IrGlobal): string {
    return `shared_${ptxName(global.name)}`;
  }
  label(): string {
    return `$L${this.#labels++}`;
  }

  fileNumber(path: string): number {
    let number = this.files.get(path);
    if (number === undefined) this.files.set(path, (number = this.files.size + 1));
    return number;
  }
}

function unsupportedAddress(symbol: IrGlobal): never {
  if (symbol.type.addressSpace === 3)
    throw unsupported(`the address of the __shared__ variable ${symbol.name} in a constant`);
  return bug(`${symbol.name} has no address`);
}
