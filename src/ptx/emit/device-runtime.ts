/**
 * Calls of NVIDIA's device runtime, libcudadevrt.a, which the driver links (CUDA programming guide, "CUDA Dynamic
 * Parallelism", "Device-side Launch from PTX"; cuda_device_runtime_api.h). The names are those of its second
 * generation, which all GPUs have; 9.0 and later have no other. libdevice/gpu-launches.cu calls them.
 */
import { bug } from "../../base/diagnostics.ts";
import type { CallInstruction, IrModule, IrValue } from "../../ir/model/ir.ts";
import type { PtxFunction } from "./ptx-function.ts";

const PREFIX = "__heddle_runtime_";
/** Of everything that NVIDIA's library defines for programs. */
const LIBRARY_PREFIX = "__cudaCDP2";

interface RuntimeFunction {
  readonly name: string;
  readonly params: readonly ("b32" | "b64" | "dim3")[];
  readonly result: "b32" | "b64";
}

const FUNCTIONS: ReadonlyMap<string, RuntimeFunction> = new Map<string, RuntimeFunction>([
  ["buffer", { name: "GetParameterBufferV2", params: ["b64", "dim3", "dim3", "b32"], result: "b64" }],
  ["launch", { name: "LaunchDeviceV2", params: ["b64", "b64"], result: "b32" }],
  ["copy", { name: "MemcpyAsync", params: ["b64", "b64", "b64", "b32", "b64"], result: "b32" }],
  ["fill", { name: "MemsetAsync", params: ["b64", "b32", "b64", "b64"], result: "b32" }],
  ["new_stream", { name: "StreamCreateWithFlags", params: ["b64", "b32"], result: "b32" }],
  ["end_stream", { name: "StreamDestroy", params: ["b64"], result: "b32" }],
  ["wait", { name: "StreamWaitEvent", params: ["b64", "b64", "b32"], result: "b32" }],
  ["new_event", { name: "EventCreateWithFlags", params: ["b64", "b32"], result: "b32" }],
  ["end_event", { name: "EventDestroy", params: ["b64"], result: "b32" }],
  ["record", { name: "EventRecord", params: ["b64", "b64"], result: "b32" }],
  ["last_error", { name: "GetLastError", params: [], result: "b32" }],
  ["peek_error", { name: "PeekAtLastError", params: [], result: "b32" }],
]);

/** They tell of failures of the others. A program that calls none of those has no failures. */
const ERRORS: ReadonlySet<string> = new Set(["last_error", "peek_error"]);

export const LAUNCH_FUNCTION: string = `${PREFIX}launch`;

export function isRuntimeFunction(name: string): boolean {
  return name.startsWith(PREFIX);
}

/** Whether anything in the module launches, copies, or makes a stream. */
export function usesDeviceRuntime(module: IrModule): boolean {
  for (const name of module.functions.keys())
    if (isRuntimeFunction(name) && !ERRORS.has(name.slice(PREFIX.length))) return true;
  return false;
}

/** Whether a PTX text has to be linked with NVIDIA's library. */
export function callsDeviceRuntime(ptx: string): boolean {
  return ptx.includes(LIBRARY_PREFIX);
}

export function emitRuntimeCall(f: PtxFunction, i: CallInstruction, name: string): void {
  const word = name.slice(PREFIX.length);
  if (word === "store" || word === "store_byte") {
    const [address, value] = i.args as [IrValue, IrValue];
    const type = word === "store" ? "b32" : "b8";
    return f.emit(`st.${type} [${f.register(address)}], ${f.register(value)}`);
  }
  if (ERRORS.has(word) && !usesDeviceRuntime(f.program.module)) return f.emit(`mov.b32 ${f.define(i)}, 0`);
  const { name: own, params, result } = FUNCTIONS.get(word) ?? bug(`the device runtime's function ${name}`);
  const symbol = `${LIBRARY_PREFIX}${own}`;
  f.program.externals.add(declaration(symbol, params, result));
  // A kernel is known by its address, any other pointer by the GPU's own of 64 bits.
  const operands = i.args.map((argument, n) => {
    if (argument.type.kind !== "ptr") return f.operand(argument);
    return word === "buffer" && n === 0 ? f.pointers.functionAddress(f, argument) : f.wideAddress(argument);
  });
  f.lines.push("\t{");
  let next = 0;
  const take = (): string => operands[next++] ?? bug(`too few arguments of ${name}`);
  params.forEach((type, n) => {
    if (type === "dim3") {
      f.emit(`.param .align 4 .b8 a${n}[12]`);
      for (const at of [0, 4, 8]) f.emit(`st.param.b32 [a${n}+${at}], ${take()}`);
    } else {
      f.emit(`.param .${type} a${n}`);
      f.emit(`st.param.${type} [a${n}], ${take()}`);
    }
  });
  f.emit(`.param .${result} result`);
  f.emit(`call (result), ${symbol}, (${params.map((_, n) => `a${n}`).join(", ")})`);
  f.emit(`ld.param.${result} ${f.define(i)}, [result]`);
  f.lines.push("\t}");
}

function declaration(symbol: string, params: RuntimeFunction["params"], result: string): string {
  const list = params.map((type, n) => (type === "dim3" ? `.param .align 4 .b8 p${n}[12]` : `.param .${type} p${n}`));
  return `.extern .func (.param .${result} result) ${symbol} (${list.join(", ")});`;
}
