/**
 * A linked module of device IR as PTX:
 *
 *   cloneModule          the caller's module stays as it is
 *   layOutVariables      addresses
 *   prepareModule        passes on IR, see there
 *   inferPointerSpaces   which memory each pointer points at
 *   groupMemory          accesses next to each other become one of 8 or 16 bytes
 *   emitFunction         text
 */
import { bug } from "../base/diagnostics.ts";
import { pointerBitsOf } from "../ir/model/layout.ts";
import { reachableFunctions } from "../ir/graph/reachable-functions.ts";
import { cloneModule } from "../ir/model/clone.ts";
import type { IrFunction, IrModule, IrValue } from "../ir/model/ir.ts";
import { usesClusters } from "./emit/cluster.ts";
import { callsDeviceRuntime, usesDeviceRuntime } from "./emit/device-runtime.ts";
import { emitFunction, declareFunction } from "./emit/function.ts";
import { describeKernel, numberFunctions } from "./emit/kernel-facts.ts";
import { groupMemory } from "./passes/pass-vectorize-memory.ts";
import { flushesDenormals, isFast } from "./passes/pass-gpu-functions.ts";
import { underlyingPointer } from "../analysis/pointers/pointer-origins.ts";
import { inferPointerSpaces } from "../analysis/pointers/pointer-spaces.ts";
import { prepareModule } from "./passes/prepare-module.ts";
import { NativePointers } from "./emit/native-pointers.ts";
import { WindowPointers } from "./emit/window-pointers.ts";
import { ProgramFacts } from "./emit/program-facts.ts";
import { PtxFunction } from "./emit/ptx-function.ts";
import type { PtxKernel, PtxModule, PtxRegionVariables, PtxTarget, PtxVariable } from "./ptx-module.ts";
import { ptxName } from "./emit/ptx-types.ts";
import { constantsOf, declareVariables, describeVariables, layOutVariables } from "./emit/variables.ts";

/**
 * Throws HeddleError "unsupported" that names what a GPU, or this generator, does not have; "link-error" for what is
 * nowhere defined.
 */
export function emitPtxModule(source: IrModule, target: PtxTarget): PtxModule {
  if (pointerBitsOf(source) !== (target.window === null ? 64 : 32))
    bug(`a module with ${pointerBitsOf(source)}-bit pointers for a target of the other width`);
  const module = cloneModule(source);
  const functions = [...module.functions.values()].filter((fn) => fn.blocks.length > 0);
  const layout = layOutVariables(module, target);
  const numbers = numberFunctions(module);
  const described = functions.filter((fn) => fn.isKernel).map((fn) => describeKernel(fn, numbers.table));
  const clusters = usesClusters(module);
  prepareModule(module);
  const reachable = {
    shared: layout.shared.length > 0,
    local: functions.some((fn) =>
      fn.blocks.some((block) =>
        block.instructions.some((i) => i.op === "alloca" || (i.op === "call" && i.functionType.isVarArg)),
      ),
    ),
    constant: layout.constants.length > 0,
    param: functions.some((fn) => fn.isKernel && choosesParams(fn)),
  };
  const program = new ProgramFacts(
    module,
    target,
    target.window === null ? new NativePointers() : new WindowPointers(target.window),
    layout,
    numbers,
    reachable,
    clusters && target.computeCapability.major >= 9,
  );
  const roots = functions.filter((fn) => fn.isKernel);
  // With 64-bit pointers variables hold functions' addresses, whether anything calls them or not.
  if (target.window === null) roots.push(...numbers.table.filter((fn) => fn !== null));
  const needed = neededFunctions(functions, roots, numbers.table);
  const bodies = needed.map((fn) => {
    const f = new PtxFunction(program, fn, inferPointerSpaces(fn), arithmeticOf(fn));
    return emitFunction(f, groupMemory(f, hasVectorAtomics(target)));
  });
  const variables = describeVariables(layout, target, (symbol) => program.addressOf(symbol));
  const launches = usesDeviceRuntime(module);
  // Of kernels only those that others launch: their addresses may come before their text.
  const launched = new Set<IrFunction | null>(launches ? numbers.table : []);
  const functionDeclarations = needed
    .filter((fn) => !fn.isKernel || launched.has(fn))
    .map((fn) => declareFunction(program, fn));
  const text = [
    header(target, bodies),
    ...[...program.files].map(([path, number]) => `.file ${number} ${JSON.stringify(path)}`),
    ...program.externals,
    ...(target.window === null ? functionDeclarations : []),
    declareVariables(layout, target, {
      addressOf: (symbol) => program.addressOf(symbol),
      sharedName: (global) => program.sharedName(global),
      functionName: (fn) => program.functionName(fn),
    }),
    ...(target.window === null ? [] : functionDeclarations),
    functionTable(program, new Set(needed), launches),
    ...bodies,
  ].join("\n");
  return {
    text,
    kernels: new Map(
      described.map((kernel): [string, PtxKernel] => [kernel.name, { ...kernel, name: ptxName(kernel.name) }]),
    ),
    variables,
    variablesBytes: layout.variablesBytes,
    constants: constantsOf(layout, target),
    usesClusters: clusters,
    callsDeviceRuntime: callsDeviceRuntime(text),
    services: { heap: region(variables, "__heddle_heap"), printf: region(variables, "__heddle_printf") },
  };
}

/** Whether a pointer may lead to a parameter or to something else. */
function choosesParams(fn: IrFunction): boolean {
  const isParam = (value: IrValue): boolean => {
    const from = underlyingPointer(value);
    return from.kind === "param" && from.byval !== null;
  };
  return fn.blocks.some((block) =>
    block.instructions.some(
      (i) =>
        i.type.kind === "ptr" &&
        ((i.op === "select" && (isParam(i.then) || isParam(i.else))) ||
          (i.op === "phi" && i.incoming.some(({ value }) => isParam(value)))),
    ),
  );
}

/** PTX ISA 8.5, 9.7.12.13. */
function hasVectorAtomics({ computeCapability, ptxVersion }: PtxTarget): boolean {
  return computeCapability.major >= 9 && (ptxVersion.major > 8 || (ptxVersion.major === 8 && ptxVersion.minor >= 1));
}

function header({ computeCapability: { major, minor }, ptxVersion }: PtxTarget, bodies: readonly string[]): string {
  const own = bodies.some(needsOwnFeatures) ? "a" : "";
  return `.version ${ptxVersion.major}.${ptxVersion.minor}\n.target sm_${major}${minor}${own}\n.address_size 64\n`;
}

/** Instructions that one architecture alone has: its target is written sm_90a, and the code runs nowhere else. */
export function needsOwnFeatures(ptx: string): boolean {
  return /\b(?:wgmma|setmaxnreg|tcgen05)\./.test(ptx);
}

/** The roots, and what they still call. */
function neededFunctions(
  functions: readonly IrFunction[],
  roots: readonly IrFunction[],
  table: readonly (IrFunction | null)[],
): IrFunction[] {
  const needed = new Set<IrFunction>();
  for (const fn of roots)
    for (const reached of reachableFunctions(fn, table)) if (reached.blocks.length > 0) needed.add(reached);
  return functions.filter((fn) => needed.has(fn));
}

function arithmeticOf(fn: IrFunction): { ftz: boolean; approximate: boolean } {
  return { ftz: flushesDenormals(fn), approximate: isFast(fn) };
}

function functionTable(program: ProgramFacts, needed: ReadonlySet<IrFunction>, hasKernels: boolean): string {
  return program.pointers.functionTable(program.functionTable, (fn) =>
    fn === null || (fn.isKernel && !hasKernels) || !needed.has(fn) ? "0" : program.functionName(fn),
  );
}

function region(variables: ReadonlyMap<string, PtxVariable>, name: string): PtxRegionVariables | null {
  const [base, bytes] = [variables.get(`${name}_base`), variables.get(`${name}_bytes`)];
  return base === undefined || bytes === undefined ? null : { base, bytes };
}
