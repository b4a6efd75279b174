/** NVRTC's options as those of the compiler (NVRTC documentation, "Supported Compile Options"). */
import type { CompileOptions } from "../program/compiled-program.ts";

export interface NvrtcOptions {
  readonly compile: Partial<CompileOptions>;
  /** -default-device: functions without a word for it are the device's. */
  readonly defaultDevice: boolean;
  /** What is no option; null: all are. */
  readonly unknown: string | null;
}

interface Draft {
  defines: string[];
  undefines: string[];
  includePaths: string[];
  forcedIncludes: string[];
  warnings: string[];
  rest: Partial<CompileOptions>;
  defaultDevice: boolean;
}

type Setter = (draft: Draft, value: string) => void;

const isTrue = (value: string): boolean => value === "" || value === "true" || value === "1";
const set =
  (change: (value: string) => Partial<CompileOptions>): Setter =>
  (draft, value) =>
    void Object.assign(draft.rest, change(value));
const define: Setter = ({ defines }, value) => void defines.push(value);
const include: Setter = ({ includePaths }, value) => void includePaths.push(value);
const nothing: Setter = () => undefined;

/** They take what follows, behind "=" or as the next option. */
const VALUED: Readonly<Record<string, Setter>> = {
  "--gpu-architecture": set((value) => ({ arch: value.replace(/^compute_/, "sm_") })),
  "--define-macro": define,
  "--undefine-macro": ({ undefines }, value) => void undefines.push(value),
  "--include-path": include,
  "--pre-include": ({ forcedIncludes }, value) => void forcedIncludes.push(value),
  "--std": set((value) => ({ standard: value })),
  "--fmad": set((value) => ({ fmad: isTrue(value) })),
  "--ftz": set((value) => ({ ftz: isTrue(value) })),
  "--dopt": nothing,
  "--maxrregcount": nothing,
  "--prec-sqrt": nothing,
  "--prec-div": nothing,
  "--ptxas-options": nothing,
  "--optimization-info": nothing,
  "--diag-error": nothing,
  "--diag-suppress": nothing,
  "--diag-warn": nothing,
  "--split-compile": nothing,
  "--time": nothing,
  "--relocatable-device-code": nothing,
  "--modify-stack-limit": nothing,
  "--builtin-move-forward": nothing,
  "--builtin-initializer-list": nothing,
  "--extra-device-vectorization": nothing,
};
/** They take nothing, or true or false behind "=". */
const SWITCHES: Readonly<Record<string, Setter>> = {
  "--use_fast_math": set((value) => (isTrue(value) ? { fastMath: true } : {})),
  "--device-debug": set(() => ({ debug: true, optimize: 0 })),
  "--generate-line-info": set(() => ({ debug: true })),
  "--device-as-default-execution-space": (draft) => void (draft.defaultDevice = true),
  "--disable-warnings": ({ warnings }) => void warnings.push("-w"),
  "--device-c": nothing,
  "--device-w": nothing,
  "--extensible-whole-program": nothing,
  "--restrict": nothing,
  "--display-error-number": nothing,
  "--no-display-error-number": nothing,
  "--device-int128": nothing,
  "--device-float128": nothing,
  "--device-syntax-only": nothing,
  "--version-ident": nothing,
  "--dlink-time-opt": nothing,
  "--gen-opt-lto": nothing,
  "--minimal": nothing,
  "--no-source-include": nothing,
  "--no-cache": nothing,
  "--pch": nothing,
  "--brief-diagnostics": nothing,
};
const SHORT: Readonly<Record<string, string>> = {
  "-arch": "--gpu-architecture",
  "-D": "--define-macro",
  "-U": "--undefine-macro",
  "-I": "--include-path",
  "-include": "--pre-include",
  "-std": "--std",
  "-fmad": "--fmad",
  "-ftz": "--ftz",
  "-dopt": "--dopt",
  "-maxrregcount": "--maxrregcount",
  "-prec-sqrt": "--prec-sqrt",
  "-prec-div": "--prec-div",
  "-Xptxas": "--ptxas-options",
  "-opt-info": "--optimization-info",
  "-diag-error": "--diag-error",
  "-diag-suppress": "--diag-suppress",
  "-diag-warn": "--diag-warn",
  "-time": "--time",
  "-rdc": "--relocatable-device-code",
  "-use_fast_math": "--use_fast_math",
  "-G": "--device-debug",
  "-lineinfo": "--generate-line-info",
  "-default-device": "--device-as-default-execution-space",
  "-w": "--disable-warnings",
  "-dc": "--device-c",
  "-dw": "--device-w",
  "-ewp": "--extensible-whole-program",
  "-restrict": "--restrict",
  "-err-no": "--display-error-number",
  "-device-int128": "--device-int128",
  "-dlto": "--dlink-time-opt",
  "-no-cache": "--no-cache",
  "-minimal": "--minimal",
};

export function readNvrtcOptions(options: readonly string[]): NvrtcOptions {
  const draft: Draft = {
    defines: [],
    undefines: [],
    includePaths: [],
    forcedIncludes: [],
    warnings: [],
    rest: {},
    defaultDevice: false,
  };
  let unknown: string | null = null;
  for (let at = 0; at < options.length; at++) {
    const option = (options[at] as string).trim();
    if (option === "") continue;
    const attached = /^(-[DUI])(?!=)\s*(.+)$/s.exec(option);
    const split = attached === null ? /^(-[^=\s]+)(?:[=\s]\s*(.*))?$/s.exec(option) : null;
    const name = attached?.[1] ?? split?.[1] ?? option;
    const given = attached?.[2] ?? split?.[2];
    const full = SHORT[name] ?? name;
    const valued = Object.hasOwn(VALUED, full) ? VALUED[full] : undefined;
    const single = Object.hasOwn(SWITCHES, full) ? SWITCHES[full] : undefined;
    if (valued !== undefined) {
      const value = given ?? options[++at];
      if (value === undefined) unknown ??= option;
      else valued(draft, value);
    } else if (single !== undefined) single(draft, given ?? "");
    else unknown ??= option;
  }
  const { defines, undefines, includePaths, forcedIncludes, warnings, rest, defaultDevice } = draft;
  return { compile: { ...rest, defines, undefines, includePaths, forcedIncludes, warnings }, defaultDevice, unknown };
}
