/** NVRTC: CUDA C++ is compiled while the program runs (NVRTC documentation, "Compilation" and "Error Handling"). */
import { unsigned } from "../../../base/unsigned.ts";
import { ltoIrOf } from "../../../program/lto-ir.ts";
import type { RuntimeCode } from "../../../program/runtime-compiler.ts";
import type { CudaContext } from "../context.ts";
import { HandleTable } from "../handles.ts";
import { LoadedModules } from "../loaded-modules.ts";
import type { ApiCall, ApiGroup } from "./api-table.ts";
import { permanentText } from "./error-handling.ts";

/** nvrtcResult */
const STATUS = {
  success: 0,
  outOfMemory: 1,
  invalidInput: 3,
  invalidProgram: 4,
  invalidOption: 5,
  compilation: 6,
  noNamesAfterCompilation: 8,
  noLoweredNamesBeforeCompilation: 9,
  nameNotValid: 10,
  internal: 11,
  noPchCreateAttempted: 13,
  cancelled: 16,
} as const;

const STATUS_NAMES = [
  "NVRTC_SUCCESS",
  "NVRTC_ERROR_OUT_OF_MEMORY",
  "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
  "NVRTC_ERROR_INVALID_INPUT",
  "NVRTC_ERROR_INVALID_PROGRAM",
  "NVRTC_ERROR_INVALID_OPTION",
  "NVRTC_ERROR_COMPILATION",
  "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
  "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
  "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
  "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
  "NVRTC_ERROR_INTERNAL_ERROR",
  "NVRTC_ERROR_TIME_FILE_WRITE_FAILED",
  "NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED",
  "NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED",
  "NVRTC_ERROR_PCH_CREATE",
  "NVRTC_ERROR_CANCELLED",
  "NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED",
];
/** What NVRTC takes for precompiled headers unless a program says otherwise. */
const PCH_HEAP_BYTES = 256 * 2 ** 20;
/** Of CUDA 12.4, whose numbers the headers have. */
const ARCHITECTURES = [50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90];

interface Program {
  readonly name: string;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly expressions: string[];
  code: RuntimeCode | null;
  /** For one GPU: the options named sm_…, not compute_… */
  isBinary: boolean;
  /** -dlto */
  isForLinking: boolean;
  /** A host function that is asked whether compiling shall go on. */
  flow: { readonly callback: number; readonly payload: number } | null;
}

function pchHeap(cuda: CudaContext): { bytes: number } {
  return cuda.extension("nvrtc pch heap", () => ({ bytes: PCH_HEAP_BYTES }));
}

function programs(cuda: CudaContext): HandleTable<Program> {
  return cuda.extension("nvrtc programs", () => new HandleTable<Program>(0x4c00_0010, 0x10));
}

function withProgram(cuda: CudaContext, handle: number, action: (program: Program) => number | void): number {
  const program = programs(cuda).get(handle);
  return program === undefined ? STATUS.invalidProgram : (action(program) ?? STATUS.success);
}

/** Sizes count the final zero. */
const size =
  (textOf: (program: Program) => string | null): ApiCall =>
  (cuda, handle: number, out: number) =>
    withProgram(cuda, handle, (program) => {
      const text = textOf(program);
      if (text === null) return STATUS.invalidProgram;
      cuda.memory.setPointer(unsigned(out), new TextEncoder().encode(text).length + 1);
    });

const contents =
  (textOf: (program: Program) => string | null): ApiCall =>
  (cuda, handle: number, out: number) =>
    withProgram(cuda, handle, (program) => {
      const text = textOf(program);
      if (text === null) return STATUS.invalidProgram;
      cuda.memory.setCString(unsigned(out), text, new TextEncoder().encode(text).length + 1);
    });

const ptxOf = ({ code }: Program): string | null => (code?.program == null ? null : code.ptx);
/** What stands for machine code is the same text: modules take it. */
const binaryOf = (program: Program): string | null => (program.isBinary ? ptxOf(program) : null);
const ltoOf = ({ code, isForLinking }: Program): string | null =>
  isForLinking && code?.program != null ? ltoIrOf(code.program) : null;
const logOf = ({ code }: Program): string => code?.log ?? "";

/** A text that the options may not ask for: its size is 0 then. */
const optionalSize =
  (textOf: (program: Program) => string | null): ApiCall =>
  (cuda, handle: number, out: number) =>
    withProgram(cuda, handle, (program) => {
      if (unsigned(out) === 0) return STATUS.invalidInput;
      const text = textOf(program);
      cuda.memory.setPointer(unsigned(out), text === null ? 0 : new TextEncoder().encode(text).length + 1);
      return program.code?.program == null ? STATUS.invalidProgram : STATUS.success;
    });

const refused =
  (what: string): ApiCall =>
  (cuda) => {
    cuda.note(`${what} is not supported yet`);
    return STATUS.invalidProgram;
  };

function compile(cuda: CudaContext, program: Program, options: readonly string[]): number {
  const compiler = cuda.options.compileAtRunTime ?? null;
  if (compiler === null) {
    cuda.note("nvrtcCompileProgram: code is not compiled at run time in a page yet");
    return STATUS.internal;
  }
  const { name, text, headers, expressions, flow } = program;
  if (flow !== null && cuda.host.call(flow.callback, flow.payload, 0) === 1) return STATUS.cancelled;
  program.isBinary = options.some((option) => /sm_\d/.test(option));
  program.isForLinking = options.some((option) => /^\s*(?:-dlto|--dlink-time-opt)\s*$/.test(option));
  const model = cuda.memory.model.name;
  const code = compiler({ name, text, headers, options, expressions, model });
  program.code = code;
  if (code.program !== null) LoadedModules.of(cuda).remember(code.ptx, [code.program]);
  switch (code.status) {
    case "compiled":
      return STATUS.success;
    case "bad-option":
      return STATUS.invalidOption;
    case "bad-expression":
      return STATUS.nameNotValid;
    case "rejected":
      return STATUS.compilation;
  }
}

export const nvrtcApi: ApiGroup = {
  name: "NVRTC",
  plain: {
    nvrtcVersion(cuda, major: number, minor: number) {
      if (unsigned(major) === 0 || unsigned(minor) === 0) return STATUS.invalidInput;
      cuda.memory.setI32(major, 12);
      cuda.memory.setI32(minor, 4);
      return STATUS.success;
    },
    nvrtcGetErrorString: (cuda, status: number) => permanentText(cuda, STATUS_NAMES[status] ?? "NVRTC_ERROR unknown"),
    nvrtcGetNumSupportedArchs(cuda, out: number) {
      if (unsigned(out) === 0) return STATUS.invalidInput;
      cuda.memory.setI32(out, ARCHITECTURES.length);
      return STATUS.success;
    },
    nvrtcGetSupportedArchs(cuda, out: number) {
      if (unsigned(out) === 0) return STATUS.invalidInput;
      ARCHITECTURES.forEach((architecture, i) => cuda.memory.setI32(unsigned(out) + 4 * i, architecture));
      return STATUS.success;
    },
    nvrtcCreateProgram(
      cuda,
      out: number,
      source: number,
      name: number,
      count: number,
      headers: number,
      includeNames: number,
    ) {
      if (unsigned(out) === 0) return STATUS.invalidProgram;
      if (unsigned(source) === 0 || count < 0) return STATUS.invalidInput;
      if (count > 0 && (unsigned(headers) === 0 || unsigned(includeNames) === 0)) return STATUS.invalidInput;
      const m = cuda.memory;
      const texts = m.pointers(unsigned(headers), count).map((address) => m.cString(address));
      const names = m.pointers(unsigned(includeNames), count).map((address) => m.cString(address));
      const program: Program = {
        name: unsigned(name) === 0 ? "default_program" : m.cString(name) || "default_program",
        text: m.cString(source),
        headers: Object.fromEntries(names.map((each, i) => [each, texts[i] as string])),
        expressions: [],
        code: null,
        isBinary: false,
        isForLinking: false,
        flow: null,
      };
      m.setPointer(unsigned(out), programs(cuda).add(program));
      return STATUS.success;
    },
    nvrtcDestroyProgram(cuda, handle: number) {
      if (unsigned(handle) === 0) return STATUS.invalidProgram;
      const address = cuda.memory.pointer(unsigned(handle));
      if (!programs(cuda).delete(address)) return STATUS.invalidProgram;
      cuda.memory.setPointer(unsigned(handle), 0);
      return STATUS.success;
    },
    nvrtcAddNameExpression: (cuda, handle: number, expression: number) =>
      withProgram(cuda, handle, (program) => {
        if (unsigned(expression) === 0) return STATUS.invalidInput;
        if (program.code !== null) return STATUS.noNamesAfterCompilation;
        program.expressions.push(cuda.memory.cString(expression));
      }),
    nvrtcCompileProgram: (cuda, handle: number, count: number, options: number) =>
      withProgram(cuda, handle, (program) => {
        if (count < 0 || (count > 0 && unsigned(options) === 0)) return STATUS.invalidInput;
        const m = cuda.memory;
        const texts = m.pointers(unsigned(options), count).map((address) => m.cString(address));
        return compile(cuda, program, texts);
      }),
    nvrtcGetProgramLogSize: size(logOf),
    nvrtcGetProgramLog: contents(logOf),
    nvrtcGetPTXSize: size(ptxOf),
    nvrtcGetPTX: contents(ptxOf),
    nvrtcGetCUBINSize: optionalSize(binaryOf),
    nvrtcGetCUBIN: contents(binaryOf),
    nvrtcGetLTOIRSize: optionalSize(ltoOf),
    nvrtcGetLTOIR: contents(ltoOf),
    nvrtcGetOptiXIRSize: refused("nvrtcGetOptiXIRSize"),
    nvrtcGetOptiXIR: refused("nvrtcGetOptiXIR"),
    nvrtcGetLoweredName: (cuda, handle: number, expression: number, out: number) =>
      withProgram(cuda, handle, (program) => {
        if (unsigned(expression) === 0 || unsigned(out) === 0) return STATUS.invalidInput;
        if (program.code === null) return STATUS.noLoweredNamesBeforeCompilation;
        const wanted = cuda.memory.cString(expression);
        const found = program.code.names.find(([given]) => given === wanted);
        if (found === undefined) return STATUS.nameNotValid;
        cuda.memory.setPointer(unsigned(out), permanentText(cuda, found[1]));
      }),
    nvrtcGetPCHHeapSize(cuda, out: number) {
      if (unsigned(out) === 0) return STATUS.invalidInput;
      cuda.memory.setPointer(unsigned(out), pchHeap(cuda).bytes);
      return STATUS.success;
    },
    nvrtcSetPCHHeapSize(cuda, bytes: number) {
      pchHeap(cuda).bytes = unsigned(bytes);
      return STATUS.success;
    },
    nvrtcGetPCHCreateStatus: (cuda, handle: number) => withProgram(cuda, handle, () => STATUS.noPchCreateAttempted),
    nvrtcGetPCHHeapSizeRequired: (cuda, handle: number, out: number) =>
      withProgram(cuda, handle, () => (unsigned(out) === 0 ? STATUS.invalidInput : STATUS.noPchCreateAttempted)),
    nvrtcSetFlowCallback: (cuda, handle: number, callback: number, payload: number) =>
      withProgram(cuda, handle, (program) => {
        program.flow = unsigned(callback) === 0 ? null : { callback: unsigned(callback), payload: unsigned(payload) };
      }),
  },
  notes: {
    nvrtcGetCUBIN: "PTX, which modules take",
    nvrtcGetLTOIR: "Heddle's own IR, which cuLinkAddData and cuSPARSE take",
    nvrtcGetOptiXIR: "refused",
    nvrtcGetOptiXIRSize: "refused",
  },
};
