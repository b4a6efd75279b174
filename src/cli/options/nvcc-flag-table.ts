/**
 * The flags of nvcc, by what they set (CUDA compiler driver documentation, "NVCC Command Options"). Flags that have no
 * meaning here (registers, PTX assembler, code for several GPUs) are accepted and noted by meaning.
 */
import { HeddleError } from "../../base/diagnostics.ts";
import type { SourceLanguage } from "../../program/compiled-program.ts";
import type { NvccDraft, NvccMode } from "./nvcc-command.ts";

export type Setter = (draft: NvccDraft, value: string) => void;

/** Host-side spellings whose meaning matters here; everything else given to the host compiler has none. */
export function hostFlag(draft: NvccDraft, flag: string): void {
  if (flag.length > 2 && flag.startsWith("-D")) draft.defines.push(flag.slice(2));
  else if (flag.length > 2 && flag.startsWith("-U")) draft.undefines.push(flag.slice(2));
  else if (flag.length > 2 && flag.startsWith("-I")) draft.includePaths.push(flag.slice(2));
  else if (/^-std=/.test(flag)) draft.standard = flag.slice(5);
  else if (/^-W[a-z]/.test(flag) && !/^-W[lap],/.test(flag)) draft.warnings.push(flag);
  else if (flag === "-fopenmp" || flag === "/openmp")
    draft.ignored.push("-fopenmp: the host program runs its parallel regions on one thread");
}

export const optimize: Setter = (draft, value) => {
  if (value === "" || value === "fast") draft.optimize = 3;
  else draft.optimize = /^[0-3]$/.test(value) ? (Number(value) as 0 | 1 | 2 | 3) : 2;
};
const LANGUAGES: Readonly<Record<string, SourceLanguage | null>> = {
  cu: "cuda",
  cuda: "cuda",
  "c++": "c++",
  c: "c",
  none: null,
};
const language: Setter = (draft, value) => {
  const found = LANGUAGES[value];
  if (found === undefined)
    throw new HeddleError("bad-arguments", `unknown language -x ${value}`, { notes: ["known: cu, c++, c"] });
  draft.language = found;
};
/** Ours: nvcc has one model only. */
const dataModel: Setter = (draft, value) => {
  if (value !== "ilp32" && value !== "lp64")
    throw new HeddleError("bad-arguments", `unknown data model --model ${value}`, {
      notes: ["known: ilp32 (long, size_t and pointers have 32 bits), lp64 (64 bits, as with nvcc)"],
    });
  draft.model = value;
};
/** nvcc's own way to say it to the headers. */
const defaultStream: Setter = (draft, value) => {
  if (value === "per-thread") draft.defines.push("CUDA_API_PER_THREAD_DEFAULT_STREAM=1");
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

function splitList(value: string): string[] {
  return value
    .replace(/^["']|["']$/g, "")
    .split(/[\s,]+/)
    .map((flag) => flag.replace(/^["']|["']$/g, ""))
    .filter((flag) => flag !== "");
}

/** Flags that take a value, as the next argument or after "=" (one-letter ones also attached). */
export const VALUED: Readonly<Record<string, Setter>> = {
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
  "-x": language,
  "--x": language,
  "--model": dataModel,
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
  "-ftz": (d, v) => void (d.ftz = truth(v)),
  "--ftz": (d, v) => void (d.ftz = truth(v)),
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
  "-default-stream": defaultStream,
  "--default-stream": defaultStream,
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
    throw new HeddleError("unsupported", `${what} is not written here, for a program of Heddle carries LLVM IR`, {
      notes: ["-ptx writes what a GPU's driver is given, heddle compile --emit ir FILE.cu the LLVM IR"],
    });
  };

/** Flags without a value. */
export const SWITCHES: Readonly<Record<string, Setter>> = {
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
  "-ptx": mode("ptx"),
  "--ptx": mode("ptx"),
  "-cubin": noSuchOutput("a cubin"),
  "--cubin": noSuchOutput("a cubin"),
  "-fatbin": noSuchOutput("a fatbin"),
  "--fatbin": noSuchOutput("a fatbin"),
};

export const SILENT_SWITCHES: ReadonlySet<string> = new Set([
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
