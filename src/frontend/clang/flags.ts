/**
 * The compiler's command lines: how CompileOptions become `clang -cc1` arguments for the device pass, the host pass and
 * the linker. The driver (`clang -x cuda`) is not used: it asserts in this build.
 *
 * Both passes see one data model, so that sizes and layouts agree.
 */
import { NULL_PAGE_BYTES, type DataModel } from "../../base/data-model.ts";
import { TARGETS, USR, systemIncludes } from "./targets.ts";
import { HeddleError } from "../../base/diagnostics.ts";
import { OBSERVED_LINK } from "./observed-flags.ts";
import { nvccFormFlags } from "./nvcc-form.ts";
import { includeFolders } from "./toolkit-headers.ts";
import type { CompileOptions, SourceLanguage } from "../../program/compiled-program.ts";
import type { SourceReader } from "../../store/source-reader.ts";

export const DEFAULT_OPTIONS: CompileOptions = {
  defines: [],
  undefines: [],
  includePaths: [],
  forcedIncludes: [],
  standard: "c++17",
  optimize: 3,
  fastMath: false,
  fmad: true,
  ftz: false,
  arch: "sm_80",
  warnings: [],
  debug: false,
  keepsVariables: false,
  observed: false,
  nvccForm: false,
  loadedByName: false,
  hostOnly: false,
  language: null,
  model: "ilp32",
  color: false,
};

/**
 * Parts of libc that are emulated, in both passes, since the device pass reads the host's headers too. No hardening: it
 * aborts where other C++ libraries go on.
 */
const LIBRARY_DEFINES: readonly string[] = [
  "_LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_NONE",
  "_WASI_EMULATED_SIGNAL",
  "_WASI_EMULATED_PROCESS_CLOCKS",
  "_WASI_EMULATED_MMAN",
  "_WASI_EMULATED_GETPID",
];

/** nvcc's names for the language standards, and clang's. */
export function languageStandard(name: string): string {
  const standard = name.replace(/^gnu\+\+/, "c++");
  if (!/^c\+\+(03|98|11|14|17|20|23|26)$/.test(standard))
    throw new HeddleError("bad-arguments", `unknown language standard ${name}`, {
      notes: ["known: c++11, c++14, c++17, c++20, c++23"],
    });
  // The headers need C++17 (if constexpr); older code compiles as C++17 but for what that removed, which libc++ can
  // bring back.
  return ["c++03", "c++98", "c++11", "c++14"].includes(standard) ? "c++17" : standard;
}

/**
 * sm_XX for Clang. The headers need sm_70: older architectures are compiled as sm_70. `feature`: nvcc's macro for code
 * that runs on this architecture alone (sm_90a), or null.
 */
export function architecture(name: string): {
  readonly cpu: string;
  readonly ptx: string;
  readonly feature: string | null;
} {
  const match = /^(?:sm|compute|lto)_(\d+)([af]?)$/.exec(name);
  if (match === null && !["native", "all", "all-major"].includes(name)) {
    throw new HeddleError("bad-arguments", `unknown GPU architecture ${name}`, {
      notes: ["write it as sm_80 or compute_80"],
    });
  }
  const known = [70, 72, 75, 80, 86, 87, 89, 90, 100, 101, 103, 120, 121];
  const wanted = match === null ? 80 : Number(match[1]);
  const number = known.filter((version) => version <= wanted).at(-1) ?? 70;
  const isAlone = match?.[2] === "a" && number === wanted;
  return {
    cpu: `sm_${number}`,
    ptx: number >= 100 ? "+ptx88" : "+ptx80",
    feature: isAlone ? `__CUDA_ARCH_FEAT_SM${number}_ALL` : null,
  };
}

function commonFlags(options: CompileOptions, language: SourceLanguage): string[] {
  const standard = languageStandard(options.standard);
  return [
    "-target-sdk-version=12.4",
    ...(language === "c" ? [] : ["-fcxx-exceptions", "-fexceptions", "-fno-threadsafe-statics"]),
    "-fgnuc-version=4.2.1",
    // A loop without effects may run forever, as with nvcc: C++ lets Clang treat it as unreachable.
    "-fno-finite-loops",
    // As Clang's driver sets them: the process ends anyway, and the IR needs no verifier. Saves 10 ms a pass.
    "-disable-free",
    "-disable-llvm-verifier",
    ...(options.color ? ["-fcolor-diagnostics"] : []),
    "-resource-dir",
    USR,
    "-isysroot",
    USR,
    "-fdebug-compilation-dir=.",
    ...systemIncludes(language, options.model).flatMap((path) => ["-internal-isystem", path]),
    // gcc's names for the platform, which public code asks for; platform-headers.ts keeps them from the C++ library.
    "-Dunix=1",
    "-D__unix=1",
    "-D__unix__=1",
    "-Dlinux=1",
    "-D__linux=1",
    "-D__linux__=1",
    "-D__gnu_linux__=1",
    ...LIBRARY_DEFINES.map((define) => `-D${define}`),
    // nvcc's list of the architectures in a program, in both passes: CUB chooses by it what to launch.
    ...(language === "cuda" ? [`-D__CUDA_ARCH_LIST__=${architecture(options.arch).cpu.slice(3)}0`] : []),
    ...(standard === languageStandard("c++17") && options.standard !== "c++17"
      ? [
          "-D_LIBCPP_ENABLE_CXX17_REMOVED_FEATURES",
          "-D_LIBCPP_ENABLE_CXX17_REMOVED_AUTO_PTR",
          "-D_LIBCPP_ENABLE_CXX17_REMOVED_RANDOM_SHUFFLE",
          "-D_LIBCPP_ENABLE_CXX17_REMOVED_BINDERS",
        ]
      : []),
  ];
}

/**
 * -D, -U, -I and -include as the user gave them.
 *
 * @param toolkits further folders with headers of NVIDIA's, after the user's (toolkit-headers.ts).
 */
export function userFlags(
  options: CompileOptions,
  reader: SourceReader | null,
  toolkits: readonly string[] = [],
): string[] {
  return [
    ...options.defines.map((define) => `-D${define}`),
    ...options.undefines.map((name) => `-U${name}`),
    ...includeFolders(options.includePaths, toolkits, reader).flatMap((path) => ["-I", path]),
    ...options.forcedIncludes.flatMap((path) => ["-include", path]),
  ];
}

function languageFlags(options: CompileOptions, language: SourceLanguage): string[] {
  if (language === "c") return ["-x", "c", "-std=gnu11"];
  return ["-x", language === "cuda" ? "cuda" : "c++", `-std=${languageStandard(options.standard)}`];
}

/**
 * -O2 for all but an explicit -O0. Without it the IR is several times as large; -O3 takes longer and gains little. Each
 * further level would need a precompiled header of its own.
 */
function optimization(options: CompileOptions): string {
  return options.optimize === 0 ? "-O1" : "-O2";
}

/** Variables of a whole run of a program, static ones too, are in the code whatever uses them. */
export const KEEP_VARIABLES = "-fkeep-persistent-storage-variables";

/** The device pass: CUDA to LLVM IR, or to a precompiled header. */
export function deviceFlags(options: CompileOptions): string[] {
  const { cpu, ptx, feature } = architecture(options.arch);
  return [
    "clang",
    "-cc1",
    "-triple",
    TARGETS[options.model].device,
    "-aux-triple",
    TARGETS[options.model].host,
    "-fcuda-is-device",
    ...modelFlags(options),
    // nvcc has __int128 in device code. Clang has it there where pointers have 64 bits, or by this flag.
    "-fforce-enable-int128",
    ...languageFlags(options, "cuda"),
    ...commonFlags(options, "cuda"),
    "-target-cpu",
    cpu,
    "-target-feature",
    ptx,
    ...(feature === null ? [] : [`-D${feature}`]),
    optimization(options),
    // Not -O0: precompiled headers would be others. Functions that must be inlined are not, and are entered.
    ...(options.keepsVariables ? ["-disable-llvm-passes"] : []),
    ...(options.loadedByName ? [KEEP_VARIABLES] : []),
    `-ffp-contract=${options.fmad ? "fast" : "off"}`,
    ...(options.fastMath ? ["-fgpu-approx-transcendentals", "-D__USE_FAST_MATH__=1"] : []),
    // Becomes an attribute of every function, by which a GPU's code knows that results may be flushed; and that it need
    // not be exact, if operands may be, too (ptx/passes/pass-gpu-functions.ts).
    ...(options.fastMath || options.ftz
      ? [`-fdenormal-fp-math-f32=preserve-sign,${options.fastMath ? "preserve-sign" : "ieee"}`]
      : []),
    // `int x; if (lane == 0) x = …; x = broadcast(x);` passes a value that most lanes have not set and that no lane
    // reads. C++ calls that undefined, and Clang would drop the condition, but CUDA's own examples do it. Arrays and
    // structs stay uninitialized, for initcheck.
    "-ftrivial-auto-var-init=zero",
    "-ftrivial-auto-var-init-max-size=8",
    // The host's setjmp.h asks for it.
    "-D__wasm_exception_handling__=1",
    `-debug-info-kind=${options.keepsVariables ? "limited" : "line-tables-only"}`,
    "-dwarf-version=4",
    ...nvccFormFlags(options),
  ];
}

/** The units of libdevice/, see its README: nothing there may be fused. */
export function deviceLibraryFlags(model: DataModel["name"]): string[] {
  return [
    "clang",
    "-cc1",
    "-triple",
    TARGETS[model].device,
    "-aux-triple",
    TARGETS[model].host,
    "-fcuda-is-device",
    "-target-sdk-version=12.4",
    "-x",
    "cuda",
    "-std=c++17",
    "-target-cpu",
    "sm_80",
    "-target-feature",
    "+ptx80",
    "-O2",
    "-ffp-contract=off",
    "-fno-builtin",
    "-fgnuc-version=4.2.1",
    "-fno-threadsafe-statics",
    "-resource-dir",
    USR,
    "-isysroot",
    USR,
    ...systemIncludes("cuda", "ilp32").flatMap((path) => ["-internal-isystem", path]),
  ];
}

/** The host pass: CUDA, C++ or C to a WebAssembly object file, or to a precompiled header. */
export function hostFlags(options: CompileOptions, language: SourceLanguage): string[] {
  return [
    "clang",
    "-cc1",
    "-triple",
    TARGETS[options.model].host,
    ...(language === "cuda" ? ["-aux-triple", TARGETS[options.model].device] : []),
    ...languageFlags(options, language),
    ...commonFlags(options, language),
    ...machineFlags(options),
    // Nothing reads the IR's names here. Saves 10 ms.
    "-discard-value-names",
    // Reports about the host program name lines.
    "-debug-info-kind=line-tables-only",
    "-dwarf-version=4",
  ];
}

/**
 * Induction variables stay as wide as they were written. Addresses of the emulated device have 32 bits, and what only
 * addresses use is narrowed (ir/passes/pass-narrow-pointers.ts). And programs compare ints with
 * those of a kernel, which wrap around: LLVM would compute the host's in 64 bits, and none would be equal.
 */
function modelFlags({ model }: CompileOptions): string[] {
  return model === "lp64" ? ["-mllvm", "-indvars-widen-indvars=false"] : [];
}

/** From a host program's IR, as the front end wrote it, to an object file. */
export function hostIrFlags(options: CompileOptions): string[] {
  return [
    "clang",
    "-cc1",
    "-triple",
    TARGETS[options.model].host,
    "-x",
    "ir",
    "-disable-free",
    "-disable-llvm-verifier",
    ...machineFlags(options),
  ];
}

/** How a host program is optimized, and for what machine. */
function machineFlags(options: CompileOptions): string[] {
  return [
    ...modelFlags(options),
    "-mrelocation-model",
    "static",
    "-mconstructor-aliases",
    "-target-cpu",
    "generic",
    "-target-feature",
    "+exception-handling",
    "-target-feature",
    "+bulk-memory",
    "-target-feature",
    "+sign-ext",
    "-target-feature",
    "+nontrapping-fptoint",
    "-target-feature",
    "+mutable-globals",
    "-exception-model=wasm",
    "-mllvm",
    "-wasm-enable-eh",
    "-mllvm",
    "-wasm-enable-sjlj",
    optimization(options),
    "-ffp-contract=on",
    "-vectorize-loops",
    "-vectorize-slp",
  ];
}

/** Bytes of stack of the host program: what Linux gives a main thread by default. */
export const HOST_STACK_BYTES: number = 8 * 1024 * 1024;
/**
 * The most that a 32-bit address space can hold, and the most that engines give a 64-bit memory (WebAssembly JavaScript
 * API, "Implementation-defined limits"). An engine that has less takes its own limit.
 */
const HOST_MAX_MEMORY_BYTES: Readonly<Record<DataModel["name"], number>> = { ilp32: 2 ** 32, lp64: 2 ** 34 };

export interface LinkOptions {
  readonly model: DataModel["name"];
  /** A file that lists the symbols which may stay undefined, and become imports; null allows all. */
  readonly allowed: string | null;
  /** printf and scanf with `%Lf`: its arithmetic of 128 bits makes every `%f` take more than twice the time. */
  readonly longDouble: boolean;
  /** Objects to be read after the libraries. */
  readonly last?: readonly string[];
  /** The program reports what it allocates (hostlib/observed.cpp). */
  readonly observed?: boolean;
  /** The program starts threads, which share its memory (hostlib/threads.cpp). */
  readonly threads?: boolean;
  /** Further flags. */
  readonly more?: readonly string[];
}

/** One thread runs at a time, so that objects and libraries need not be compiled for several. */
const THREADS: readonly string[] = [
  "--shared-memory",
  "--import-memory",
  "--no-check-features",
  "--export=__stack_pointer",
  "--export=__heddle_thread_main",
  "--export=__wasm_init_tls",
  "--wrap=clock_nanosleep",
  "--wrap=sched_yield",
];

/** Calls of the user's code and of libc that report what fails (hostlib/allocations.cpp). */
const ALLOCATIONS: readonly string[] = ["malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign"];

export function linkFlags(
  objects: readonly string[],
  output: string,
  { model, allowed, longDouble, last = [], observed = false, threads = false, more = [] }: LinkOptions,
): string[] {
  const target = TARGETS[model];
  return [
    "wasm-ld",
    "-m",
    target.linker,
    `-L${USR}/lib/${target.runtimeFolder}`,
    `-L${USR}/lib/${target.libraryFolder}`,
    ...objects,
    "-lc++",
    "-lc++abi",
    ...target.libraries,
    ...(longDouble ? ["-lc-printscan-long-double"] : []),
    "-lc",
    `${USR}/lib/${target.runtimeFolder}/libclang_rt.builtins.a`,
    ...last,
    allowed === null ? "--allow-undefined" : `--allow-undefined-file=${allowed}`,
    "--export-table",
    ...ALLOCATIONS.map((name) => `--wrap=${name}`),
    "--wrap=exit",
    "--export=__heddle_malloc",
    "--export=__heddle_free",
    "--export=__heddle_refuse",
    "--export=__heddle_gap_start",
    "--export=__heddle_gap_end",
    ...(observed ? OBSERVED_LINK : []),
    ...(threads ? THREADS : []),
    ...more,
    "-z",
    `stack-size=${NULL_PAGE_BYTES + HOST_STACK_BYTES}`,
    "--stack-first",
    `--max-memory=${HOST_MAX_MEMORY_BYTES[model]}`,
    "--gc-sections",
    "-o",
    output,
  ];
}
