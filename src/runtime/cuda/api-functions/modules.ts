/** The driver's modules, libraries and linker (CUDA Driver API, "Module Management" and "Library Management"). */
import { unsigned } from "../../../base/unsigned.ts";
import { HostFileError } from "../../host/host-files.ts";
import type { CudaContext } from "../context.ts";
import { DriverError, ImageError, LoadedModules, type JitOptions, type LoadedModule } from "../loaded-modules.ts";
import { CudaFailure } from "../errors.ts";
import type { ApiCall, ApiGroup } from "./api-table.ts";

/** CUjit_option */
const JIT = { infoLog: 3, infoBytes: 4, errorLog: 5, errorBytes: 6 } as const;
/** CUjitInputType */
const INPUT = { ptx: 1 } as const;

/** The end of an image in memory: PTX ends at a zero, and what is no text is looked at by its first bytes alone. */
function imageAt(cuda: CudaContext, address: number): Uint8Array {
  const start = unsigned(address);
  const { bytes } = cuda.memory;
  const end = bytes.indexOf(0, start);
  return bytes.slice(start, Math.max(end < 0 ? bytes.length : end, Math.min(start + 4, bytes.length)));
}

function jitOptions(cuda: CudaContext, count: number, options: number, values: number): JitOptions {
  const m = cuda.memory;
  const read = { infoLog: 0, infoBytes: 0, errorLog: 0, errorBytes: 0, infoSize: 0, errorSize: 0 };
  for (let i = 0; i < unsigned(count); i++) {
    const option = m.u32(unsigned(options) + 4 * i);
    const place = unsigned(values) + m.model.pointerBytes * i;
    const value = m.pointerAt(unsigned(values), i);
    if (option === JIT.infoLog) read.infoLog = value;
    else if (option === JIT.infoBytes) [read.infoBytes, read.infoSize] = [m.u32(place), place];
    else if (option === JIT.errorLog) read.errorLog = value;
    else if (option === JIT.errorBytes) [read.errorBytes, read.errorSize] = [m.u32(place), place];
  }
  return read;
}

const NO_OPTIONS: JitOptions = { infoLog: 0, infoBytes: 0, errorLog: 0, errorBytes: 0, infoSize: 0, errorSize: 0 };

/** As the driver: the logs are texts, and the sizes become the numbers of their bytes. */
function writeLogs(cuda: CudaContext, options: JitOptions, info: string, error: string): void {
  const m = cuda.memory;
  const write = (text: string, log: number, bytes: number, size: number): void => {
    if (log === 0 || bytes === 0) return;
    m.setCString(log, text, bytes);
    if (size !== 0) m.setU32(size, Math.min(new TextEncoder().encode(text).length, bytes - 1));
  };
  write(info, options.infoLog, options.infoBytes, options.infoSize);
  write(error, options.errorLog, options.errorBytes, options.errorSize);
}

/** What an action returns, or the CUresult of what it throws; without a log for it the reason is a line on stderr. */
function guarded(cuda: CudaContext, name: string, action: () => number | void, options = NO_OPTIONS): number {
  cuda.options.guard.look();
  if (cuda.stickyError !== 0) return cuda.stickyError;
  try {
    const result = action() ?? DriverError.success;
    if (result === DriverError.success) writeLogs(cuda, options, "", "");
    return result;
  } catch (error) {
    if (error instanceof ImageError) {
      writeLogs(cuda, options, "", error.message);
      if (options.errorLog === 0) cuda.note(`${name}: ${error.message}`);
      return error.code;
    }
    if (error instanceof CudaFailure) {
      if (error.detail !== undefined) cuda.note(`${name}: ${error.detail}`);
      return error.code;
    }
    throw error;
  }
}

function load(cuda: CudaContext, call: string, out: number, image: number, options = NO_OPTIONS): number {
  return guarded(
    cuda,
    call,
    () => {
      if (unsigned(image) === 0 || unsigned(out) === 0) return DriverError.invalidValue;
      const loaded = LoadedModules.of(cuda);
      cuda.memory.setPointer(unsigned(out), loaded.load(loaded.programsOf(imageAt(cuda, image), null)));
    },
    options,
  );
}

function withModule(
  cuda: CudaContext,
  call: string,
  handle: number,
  action: (module: LoadedModule, loaded: LoadedModules) => number | void,
): number {
  return guarded(cuda, call, () => {
    const loaded = LoadedModules.of(cuda);
    const module = loaded.modules.get(handle);
    return module === undefined ? DriverError.invalidHandle : action(module, loaded);
  });
}

const getFunction =
  (call: string): ApiCall =>
  (cuda, out: number, handle: number, name: number) =>
    withModule(cuda, call, handle, (module, loaded) => {
      const found = loaded.function(module, cuda.memory.cString(name));
      if (found === null) return DriverError.notFound;
      cuda.memory.setPointer(unsigned(out), found);
    });

/** The address is a CUdeviceptr, of 64 bits always. */
const getGlobal =
  (call: string): ApiCall =>
  (cuda, out: number, bytes: number, handle: number, name: number) =>
    withModule(cuda, call, handle, (module) => {
      const symbol = cuda.registry.module(module.program, cuda.current).symbol(cuda.memory.cString(name));
      if (symbol === null) return DriverError.notFound;
      if (unsigned(out) !== 0) cuda.memory.setU64(unsigned(out), BigInt(symbol.pointer));
      if (unsigned(bytes) !== 0) cuda.memory.setPointer(unsigned(bytes), symbol.bytes);
    });

const unload =
  (call: string): ApiCall =>
  (cuda, handle: number) =>
    guarded(cuda, call, () =>
      LoadedModules.of(cuda).unload(handle) ? DriverError.success : DriverError.invalidHandle,
    );

function addToLink(
  cuda: CudaContext,
  call: string,
  handle: number,
  type: number,
  image: Uint8Array,
  name: string,
): number {
  const loaded = LoadedModules.of(cuda);
  const state = loaded.links.get(handle);
  if (state === undefined) return DriverError.invalidHandle;
  return guarded(
    cuda,
    call,
    () => {
      if (type !== INPUT.ptx && !startsText(image))
        throw new ImageError(DriverError.noBinaryForGpu, `${name}: only PTX and NVRTC's LTO-IR can be linked here`);
      state.programs.push(...loaded.programsOf(image, name));
    },
    state.options,
  );
}

/** A file of PTX begins with a comment or a directive. */
function startsText(image: Uint8Array): boolean {
  return image[0] === 0x2e || image[0] === 0x2f || image[0] === 0x0a || image[0] === 0x20;
}

export const moduleApi: ApiGroup = {
  name: "modules",
  plain: {
    __heddle_module_load: (cuda, out: number, image: number, bytes: number, name: number) =>
      guarded(cuda, "cuModuleLoad", () => {
        const loaded = LoadedModules.of(cuda);
        const programs = loaded.programsOf(cuda.memory.slice(image, bytes).slice(), cuda.memory.cString(name));
        cuda.memory.setPointer(unsigned(out), loaded.load(programs));
      }),
    cuModuleLoadData: (cuda, out: number, image: number) => load(cuda, "cuModuleLoadData", out, image),
    cuModuleLoadDataEx: (cuda, out: number, image: number, count: number, options: number, values: number) =>
      load(cuda, "cuModuleLoadDataEx", out, image, jitOptions(cuda, count, options, values)),
    cuModuleLoadFatBinary: (cuda, out: number, image: number) => load(cuda, "cuModuleLoadFatBinary", out, image),
    cuModuleUnload: unload("cuModuleUnload"),
    cuModuleGetFunction: getFunction("cuModuleGetFunction"),
    cuModuleGetGlobal: getGlobal("cuModuleGetGlobal"),
    cuModuleGetFunctionCount: (cuda, out: number, handle: number) =>
      withModule(cuda, "cuModuleGetFunctionCount", handle, (module) => {
        cuda.memory.setU32(out, cuda.registry.module(module.program, cuda.current).kernelNames().length);
      }),
    cuLibraryLoadData: (cuda, out: number, image: number, options: number, values: number, count: number) =>
      load(cuda, "cuLibraryLoadData", out, image, jitOptions(cuda, count, options, values)),
    cuLibraryUnload: unload("cuLibraryUnload"),
    cuLibraryGetKernel: getFunction("cuLibraryGetKernel"),
    cuLibraryGetGlobal: getGlobal("cuLibraryGetGlobal"),
    cuLibraryGetManaged: getGlobal("cuLibraryGetManaged"),
    cuLibraryGetModule: (cuda, out: number, handle: number) =>
      withModule(cuda, "cuLibraryGetModule", handle, () => cuda.memory.setPointer(unsigned(out), unsigned(handle))),
    cuLinkCreate: (cuda, count: number, options: number, values: number, out: number) =>
      guarded(cuda, "cuLinkCreate", () => {
        const state = { programs: [], log: [], code: 0, options: jitOptions(cuda, count, options, values) };
        cuda.memory.setPointer(unsigned(out), LoadedModules.of(cuda).links.add(state));
      }),
    cuLinkAddData: (cuda, handle: number, type: number, data: number, bytes: number, name: number) => {
      const image = cuda.memory.slice(data, bytes).slice();
      const given = unsigned(name) === 0 ? "" : cuda.memory.cString(name);
      return addToLink(cuda, "cuLinkAddData", handle, type, image, given === "" ? "ptx" : given);
    },
    cuLinkComplete: (cuda, handle: number, out: number, bytes: number) => {
      const loaded = LoadedModules.of(cuda);
      const state = loaded.links.get(handle);
      if (state === undefined) return DriverError.invalidHandle;
      return guarded(
        cuda,
        "cuLinkComplete",
        () => {
          // A trial finds what is missing; the code itself is named by a text that stands for it.
          loaded.unload(loaded.load(state.programs));
          const text = `// ${state.programs.map(({ name }) => name).join(", ")}: linked code ${unsigned(handle)}\n`;
          loaded.remember(text, [...state.programs]);
          state.code = cuda.host.malloc(text.length + 1);
          if (state.code === 0) return 2; // CUDA_ERROR_OUT_OF_MEMORY
          cuda.memory.setCString(state.code, text, text.length + 1);
          cuda.memory.setPointer(unsigned(out), state.code);
          if (unsigned(bytes) !== 0) cuda.memory.setPointer(unsigned(bytes), text.length + 1);
        },
        state.options,
      );
    },
    cuLinkDestroy: (cuda, handle: number) => {
      const loaded = LoadedModules.of(cuda);
      const state = loaded.links.get(handle);
      if (state === undefined) return DriverError.invalidHandle;
      if (state.code !== 0) cuda.host.free(state.code);
      loaded.links.delete(handle);
      return DriverError.success;
    },
    __heddle_parameter_places: (cuda, f: number, buffer: number, bytes: number, out: number, capacity: number) => {
      try {
        const { params } = cuda.registry.kernel(cuda.registry.function(f), cuda.current);
        if (params.length > unsigned(capacity)) return DriverError.invalidValue;
        if (params.some(({ offset, size }) => offset + size > unsigned(bytes))) return DriverError.invalidValue;
        params.forEach(({ offset }, i) => cuda.memory.setPointerAt(unsigned(out), i, unsigned(buffer) + offset));
        return DriverError.success;
      } catch (error) {
        if (error instanceof CudaFailure || error instanceof HostFileError) return DriverError.invalidHandle;
        throw error;
      }
    },
  },
  notes: {
    cuModuleLoadFatBinary: "PTX alone",
    cuLinkAddData: "PTX, and what nvrtcGetLTOIR gives",
  },
};
