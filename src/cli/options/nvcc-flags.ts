/**
 * The command lines people write for nvcc, read into what the compiler here needs (CUDA compiler driver documentation,
 * "NVCC Command Options"). Long and short spellings, `-flag value` and `-flag=value`, as nvcc takes them; host compiler
 * flags are accepted too, because Makefiles pass them along. What has no meaning here (registers, PTX assembler, code
 * for several GPUs) is accepted and noted by meaning.
 */
import { HeddleError } from "../../base/diagnostics.ts";
import type { CompileOptions } from "../../program/compiled-program.ts";

export type NvccMode = "link" | "compile" | "preprocess" | "dependencies" | "device-link" | "library";

export interface NvccCommand {
  readonly sources: readonly string[];
  /** Objects and archives, in order. */
  readonly objects: readonly string[];
  readonly libraries: readonly string[];
  readonly libraryPaths: readonly string[];
  readonly output: string | null;
  readonly mode: NvccMode;
  readonly compile: Partial<CompileOptions>;
  /** -x: what sources are, whatever their names say. */
  readonly language: string | null;
  /** -MD, -MMD beside a compilation. */
  readonly writeDependencies: boolean;
  /** Without headers of the system (-MM, -MMD). */
  readonly ownHeadersOnly: boolean;
  readonly dependencyFile: string | null;
  readonly dependencyTargets: readonly string[];
  readonly phonyTargets: boolean;
  readonly runAfterwards: boolean;
  readonly verbose: boolean;
  readonly dryRun: boolean;
  /** What was accepted and has no effect, in words. */
  readonly ignored: readonly string[];
}

interface Draft {
  sources: string[];
  objects: string[];
  libraries: string[];
  libraryPaths: string[];
  output: string | null;
  mode: NvccMode;
  language: string | null;
  defines: string[];
  undefines: string[];
  includePaths: string[];
  forcedIncludes: string[];
  warnings: string[];
  standard?: string;
  optimize?: 0 | 1 | 2 | 3;
  fastMath?: boolean;
  fmad?: boolean;
  arch?: string;
  debug?: boolean;
  writeDependencies: boolean;
  ownHeadersOnly: boolean;
  dependencyFile: string | null;
  dependencyTargets: string[];
  phonyTargets: boolean;
  runAfterwards: boolean;
  verbose: boolean;
  dryRun: boolean;
  ignored: string[];
}

type Setter = (draft: Draft, value: string) => void;

/** Host-side spellings whose meaning matters here; everything else given to the host compiler has none. */
function hostFlag(draft: Draft, flag: string): void {
  if (/^-[DUI]./.test(flag))
    (flag[1] === "D" ? draft.defines : flag[1] === "U" ? draft.undefines : draft.includePaths).push(flag.slice(2));
  else if (/^-std=/.test(flag)) draft.standard = flag.slice(5);
  else if (/^-W[a-z]/.test(flag) && !/^-W[lap],/.test(flag)) draft.warnings.push(flag);
  else if (flag === "-fopenmp" || flag === "/openmp")
    draft.ignored.push("-fopenmp: the host program runs its parallel regions on one thread");
}

const optimize: Setter = (draft, value) => {
  draft.optimize = (value === "" || value === "fast" ? 3 : /^[0-3]$/.test(value) ? Number(value) : 2) as 0 | 1 | 2 | 3;
};
const architecture: Setter = (draft, value) => {
  const name = /(?:sm|compute|lto)_\d+[af]?|native|all(?:-major)?/.exec(value)?.[0];
  if (name !== undefined && !/^(native|all)/.test(name))
    draft.arch = higherArchitecture(draft.arch, name.replace(/^(compute|lto)/, "sm"));
};

/** Of several -gencode the newest counts: sources choose features by __CUDA_ARCH__. */
function higherArchitecture(known: string | undefined, name: string): string {
  const number = (text: string): number => Number(/\d+/.exec(text)?.[0] ?? 0);
  return known === undefined || number(name) >= number(known) ? name : known;
}

const truth = (value: string): boolean => value !== "false" && value !== "0" && value !== "off";
const ignore =
  (meaning: string): Setter =>
  (draft) => {
    if (meaning !== "") draft.ignored.push(meaning);
  };

/** Flags that take a value, as the next argument or after "=" (one-letter ones also attached). */
const VALUED: Readonly<Record<string, Setter>> = {
  "-o": (d, v) => void (d.output = v),
  "--output-file": (d, v) => void (d.output = v),
  "-D": (d, v) => void d.defines.push(v),
  "--define-macro": (d, v) => void d.defines.push(...v.split(",")),
  "-U": (d, v) => void d.undefines.push(v),
  "--undefine-macro": (d, v) => void d.undefines.push(...v.split(",")),
  "-I": (d, v) => void d.includePaths.push(...v.split(",")),
  "--include-path": (d, v) => void d.includePaths.push(...v.split(",")),
  "-isystem": (d, v) => void d.includePaths.push(...v.split(",")),
  "--system-include": (d, v) => void d.includePaths.push(...v.split(",")),
  "-iquote": (d, v) => void d.includePaths.push(v),
  "-idirafter": (d, v) => void d.includePaths.push(v),
  "-include": (d, v) => void d.forcedIncludes.push(...v.split(",")),
  "--pre-include": (d, v) => void d.forcedIncludes.push(...v.split(",")),
  "-L": (d, v) => void d.libraryPaths.push(...v.split(",")),
  "--library-path": (d, v) => void d.libraryPaths.push(...v.split(",")),
  "-l": (d, v) => void d.libraries.push(...v.split(",")),
  "--library": (d, v) => void d.libraries.push(...v.split(",")),
  "-std": (d, v) => void (d.standard = v),
  "--std": (d, v) => void (d.standard = v),
  "-x": (d, v) => void (d.language = v),
  "--x": (d, v) => void (d.language = v),
  "-O": optimize,
  "--optimize": optimize,
  "-Ofast": optimize,
  "-arch": architecture,
  "--gpu-architecture": architecture,
  "-code": architecture,
  "--gpu-code": architecture,
  "-gencode": architecture,
  "--generate-code": architecture,
  "-march": () => {},
  "-mtune": () => {},
  "-fmad": (d, v) => void (d.fmad = truth(v)),
  "--fmad": (d, v) => void (d.fmad = truth(v)),
  "-ftz": ignore("-ftz: denormals are kept"),
  "--ftz": ignore("-ftz: denormals are kept"),
  "-prec-div": () => {},
  "--prec-div": () => {},
  "-prec-sqrt": () => {},
  "--prec-sqrt": () => {},
  "-Xcompiler": (d, v) => splitList(v).forEach((flag) => hostFlag(d, flag)),
  "--compiler-options": (d, v) => splitList(v).forEach((flag) => hostFlag(d, flag)),
  "-Xlinker": () => {},
  "--linker-options": () => {},
  "-Xptxas": () => {},
  "--ptxas-options": () => {},
  "-Xnvlink": () => {},
  "--nvlink-options": () => {},
  "-Xarchive": () => {},
  "--archive-options": () => {},
  "-Xcudafe": () => {},
  "-Xfatbin": () => {},
  "-Xnvvm": () => {},
  "-Xclang": () => {},
  "-Xopencc": () => {},
  "-maxrregcount": ignore("-maxrregcount: registers are not modelled"),
  "--maxrregcount": ignore("-maxrregcount: registers are not modelled"),
  "-ccbin": () => {},
  "--compiler-bindir": () => {},
  "-cudart": () => {},
  "--cudart": () => {},
  "-cudadevrt": () => {},
  "--cudadevrt": () => {},
  "-rdc": () => {},
  "--relocatable-device-code": () => {},
  "-default-stream": () => {},
  "--default-stream": () => {},
  "-t": () => {},
  "--threads": () => {},
  "-m": () => {},
  "--machine": () => {},
  "-keep-dir": () => {},
  "--keep-dir": () => {},
  "-idp": () => {},
  "-diag-suppress": () => {},
  "--diag-suppress": () => {},
  "-diag-error": () => {},
  "--diag-error": () => {},
  "-diag-warn": () => {},
  "--diag-warn": () => {},
  "-Werror": () => {},
  "--Werror": () => {},
  "-err-no": () => {},
  "-ddir": () => {},
  "-libdevice-directory": () => {},
  "-ldir": () => {},
  "--dopt": () => {},
  "-dopt": () => {},
  "-split-compile": () => {},
  "-MF": (d, v) => void (d.dependencyFile = v),
  "--dependency-output": (d, v) => void (d.dependencyFile = v),
  "-odir": (d, v) => void (d.output ??= v.replace(/\/?$/, "/")),
  "--output-directory": (d, v) => void (d.output ??= v.replace(/\/?$/, "/")),
  "-MT": (d, v) => void d.dependencyTargets.push(v),
  "--dependency-target-name": (d, v) => void d.dependencyTargets.push(v),
  "-MQ": (d, v) => void d.dependencyTargets.push(v),
};

const dependencies =
  (own: boolean, beside: boolean): Setter =>
  (d) => {
    if (beside) d.writeDependencies = true;
    else d.mode = "dependencies";
    d.ownHeadersOnly ||= own;
  };
const mode =
  (value: NvccMode): Setter =>
  (d) =>
    void (d.mode = value);
const noSuchOutput =
  (what: string): Setter =>
  () => {
    throw new HeddleError("unsupported", `${what} is not made here: there is no GPU machine code`, {
      notes: ["heddle compile --emit ir FILE.cu shows the device code as LLVM IR"],
    });
  };

/** Flags without a value. */
const SWITCHES: Readonly<Record<string, Setter>> = {
  "-c": mode("compile"),
  "--compile": mode("compile"),
  "-dc": mode("compile"),
  "--device-c": mode("compile"),
  "-dw": mode("compile"),
  "--device-w": mode("compile"),
  "-dlink": mode("device-link"),
  "--device-link": mode("device-link"),
  "-E": mode("preprocess"),
  "--preprocess": mode("preprocess"),
  "-lib": mode("library"),
  "--lib": mode("library"),
  "-link": mode("link"),
  "--link": mode("link"),
  "-shared": (d) => d.ignored.push("-shared: an executable is made, not a library"),
  "--shared": (d) => d.ignored.push("-shared: an executable is made, not a library"),
  "-M": dependencies(false, false),
  "--generate-dependencies": dependencies(false, false),
  "-MM": dependencies(true, false),
  "--generate-nonsystem-dependencies": dependencies(true, false),
  "-MD": dependencies(false, true),
  "--generate-dependencies-with-compile": dependencies(false, true),
  "-MMD": dependencies(true, true),
  "--generate-nonsystem-dependencies-with-compile": dependencies(true, true),
  "-MP": (d) => void (d.phonyTargets = true),
  "--generate-dependency-targets": (d) => void (d.phonyTargets = true),
  "-use_fast_math": (d) => void (d.fastMath = true),
  "--use_fast_math": (d) => void (d.fastMath = true),
  "-ffast-math": () => {},
  "-g": (d) => void (d.debug = true),
  "--debug": (d) => void (d.debug = true),
  "-G": (d) => void (d.debug = true),
  "--device-debug": (d) => void (d.debug = true),
  "-w": (d) => void (d.warnings = ["-w"]),
  "--disable-warnings": (d) => void (d.warnings = ["-w"]),
  "-run": (d) => void (d.runAfterwards = true),
  "--run": (d) => void (d.runAfterwards = true),
  "-v": (d) => void (d.verbose = true),
  "--verbose": (d) => void (d.verbose = true),
  "-dryrun": (d) => void (d.dryRun = true),
  "--dryrun": (d) => void (d.dryRun = true),
  "-fopenmp": (d) => hostFlag(d, "-fopenmp"),
  "-ptx": noSuchOutput("PTX"),
  "--ptx": noSuchOutput("PTX"),
  "-cubin": noSuchOutput("a cubin"),
  "--cubin": noSuchOutput("a cubin"),
  "-fatbin": noSuchOutput("a fatbin"),
  "--fatbin": noSuchOutput("a fatbin"),
};

const SILENT_SWITCHES: ReadonlySet<string> = new Set([
  "-lineinfo",
  "--generate-line-info",
  "-res-usage",
  "--resource-usage",
  "--expt-relaxed-constexpr",
  "-expt-relaxed-constexpr",
  "--expt-extended-lambda",
  "-expt-extended-lambda",
  "--extended-lambda",
  "-extended-lambda",
  "-keep",
  "--keep",
  "-clean",
  "--clean-targets",
  "-noprof",
  "-pg",
  "--profile",
  "-m64",
  "-m32",
  "-restrict",
  "--restrict",
  "-src-in-ptx",
  "-forward-unknown-to-host-compiler",
  "--forward-unknown-to-host-compiler",
  "-forward-unknown-to-host-linker",
  "--forward-unknown-to-host-linker",
  "-save-temps",
  "--save-temps",
  "-allow-unsupported-compiler",
  "--allow-unsupported-compiler",
  "-Wno-deprecated-gpu-targets",
  "--Wno-deprecated-gpu-targets",
  "-dlto",
  "-lto",
  "-extra-device-vectorization",
  "--extra-device-vectorization",
  "-no-align-double",
  "-pthread",
  "-pipe",
  "-rdynamic",
  "-static",
  "-s",
  "-fPIC",
  "-fPIE",
  "-pie",
  "-no-pie",
  "-static-libgcc",
  "-static-libstdc++",
  "-arch-list",
  "-nodlink",
  "--nodlink",
  "-time",
  "-disable-optimizer-constants",
  "-Wext-lambda-captures-this",
  "-Wreorder",
  "-Wdefault-stream-launch",
  "-Wmissing-launch-bounds",
  "-source-in-ptx",
  "-astoolspatch",
  "-use-local-env",
  "-nohdinitlist",
  "-gen-opt-lto",
  "-noeh",
  "-fdevice-time-trace",
  "-no-compress",
  "-fdevice-syntax-only",
  "-minimal",
]);

function splitList(value: string): string[] {
  return value
    .replace(/^["']|["']$/g, "")
    .split(/[\s,]+/)
    .map((flag) => flag.replace(/^["']|["']$/g, ""))
    .filter((flag) => flag !== "");
}

const SOURCE = /\.(cu|cuh|cpp|cxx|cc|c\+\+|C|c)$/;
const OBJECT = /\.(o|obj|a|lo|bc|wasm)$/;

export function isSource(path: string): boolean {
  return SOURCE.test(path);
}

/**
 * Applies one argument, taking the next when it is the value; returns how many arguments were used, 0 when it is no
 * flag that we know.
 */
export function applyNvccFlag(draft: Draft, args: readonly string[], at: number): number {
  const argument = args[at] as string;
  const equals = argument.indexOf("=");
  const name = equals > 0 ? argument.slice(0, equals) : argument;
  const single = SWITCHES[argument];
  if (single !== undefined) {
    single(draft, "");
    return 1;
  }
  if (SILENT_SWITCHES.has(argument)) return 1;
  const valued = VALUED[name];
  // -DNAME=VALUE and -O3 are attached forms: the "=" belongs to the value.
  if (valued !== undefined && equals > 0 && !/^-[DUILlO]/.test(name)) {
    valued(draft, argument.slice(equals + 1));
    return 1;
  }
  if (valued !== undefined && equals < 0) {
    if (name === "-O") {
      optimize(draft, "2");
      return 1;
    }
    const value = args[at + 1];
    if (value === undefined) throw new HeddleError("bad-arguments", `${argument} needs a value`);
    valued(draft, value);
    return 2;
  }
  const attached = /^-([DUILlOoxt]|isystem|iquote|MF|MT)(.+)$/.exec(argument);
  if (attached !== null) {
    (VALUED[`-${attached[1] as string}`] as Setter)(draft, (attached[2] as string).replace(/^=/, ""));
    return 1;
  }
  if (/^-(Wl|Wa|Wp),/.test(argument) || /^-(W|f|m)[a-zA-Z0-9]/.test(argument) || /^-(g|ggdb|gdwarf).*/.test(argument)) {
    hostFlag(draft, argument);
    return 1;
  }
  return 0;
}

export type NvccDraft = Draft;

export function newNvccDraft(): Draft {
  return {
    sources: [],
    objects: [],
    libraries: [],
    libraryPaths: [],
    output: null,
    mode: "link",
    language: null,
    defines: [],
    undefines: [],
    includePaths: [],
    forcedIncludes: [],
    warnings: [],
    writeDependencies: false,
    ownHeadersOnly: false,
    dependencyFile: null,
    dependencyTargets: [],
    phonyTargets: false,
    runAfterwards: false,
    verbose: false,
    dryRun: false,
    ignored: [],
  };
}

export function finishNvccDraft(draft: Draft): NvccCommand {
  const {
    defines,
    undefines,
    includePaths,
    forcedIncludes,
    warnings,
    standard,
    optimize: level,
    fastMath,
    fmad,
    arch,
    debug,
    ...rest
  } = draft;
  const chosen = { standard, optimize: level, fastMath, fmad, arch, debug };
  const given = Object.fromEntries(
    Object.entries(chosen).filter(([, value]) => value !== undefined),
  ) as Partial<CompileOptions>;
  return {
    ...rest,
    ignored: [...new Set(rest.ignored)],
    compile: { ...given, defines, undefines, includePaths, forcedIncludes, warnings },
  };
}

/** A whole nvcc command line, without the word nvcc. Throws HeddleError bad-arguments. */
export function parseNvccCommand(args: readonly string[]): NvccCommand {
  const draft = newNvccDraft();
  for (let at = 0; at < args.length;) {
    const argument = args[at] as string;
    const used = argument.startsWith("-") && argument !== "-" ? applyNvccFlag(draft, args, at) : 0;
    if (used > 0) at += used;
    else {
      if (argument.startsWith("-"))
        throw new HeddleError("bad-arguments", `unknown option ${argument}`, {
          notes: ["heddle nvcc takes what nvcc takes; heddle nvcc --help shows the options that have an effect"],
        });
      if (OBJECT.test(argument)) draft.objects.push(argument);
      else draft.sources.push(argument);
      at++;
    }
  }
  return finishNvccDraft(draft);
}

/**
 * Every spelling that is accepted, for docs/support.md: those that take a value, those that do not, those that have no
 * effect.
 */
export function nvccFlagNames(): {
  readonly valued: readonly string[];
  readonly switches: readonly string[];
  readonly silent: readonly string[];
} {
  return { valued: Object.keys(VALUED), switches: Object.keys(SWITCHES), silent: [...SILENT_SWITCHES] };
}
