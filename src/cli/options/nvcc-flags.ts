/**
 * Reads the command lines that people write for nvcc: long and short spellings, `-flag value` and `-flag=value`. Flags
 * of host compilers are accepted too, because Makefiles pass them along.
 */
import { HeddleError } from "../../base/diagnostics.ts";
import type { CompileOptions } from "../../program/compiled-program.ts";
import { newNvccDraft, type NvccCommand, type NvccDraft } from "./nvcc-command.ts";
import { hostFlag, optimize, SILENT_SWITCHES, SWITCHES, VALUED, type Setter } from "./nvcc-flag-table.ts";

const SOURCE = /\.(cu|cuh|cpp|cxx|cc|c\+\+|C|c)$/;
const OBJECT = /\.(o|obj|a|lo|bc|wasm)$/;

export function isSource(path: string): boolean {
  return SOURCE.test(path);
}

const HOST_COMPILER: ReadonlySet<string> = new Set(["-ccbin", "--compiler-bindir"]);

/** `-ccbin $(CXX)` of a Makefile where CXX is "npx heddle nvcc": how many words that is; 1: another compiler. */
function wordsOfHeddle(args: readonly string[], at: number): number {
  const words = args.slice(at, at + 3);
  const end = words.findIndex((word, i) => i > 0 && word === "nvcc" && /(^|\/)heddle$/.test(words[i - 1] as string));
  return end < 0 ? 1 : end + 1;
}

/**
 * Applies one argument, taking the next when it is the value; returns how many arguments were used, 0 when it is no
 * flag that we know.
 */
export function applyNvccFlag(draft: NvccDraft, args: readonly string[], at: number): number {
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
    return HOST_COMPILER.has(name) ? 1 + wordsOfHeddle(args, at + 1) : 2;
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

export function finishNvccDraft(draft: NvccDraft): NvccCommand {
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
    ftz,
    arch,
    debug,
    model,
    language,
    ...rest
  } = draft;
  const chosen = { standard, optimize: level, fastMath, fmad, ftz, arch, debug, model };
  const given = Object.fromEntries(
    Object.entries(chosen).filter(([, value]) => value !== undefined),
  ) as Partial<CompileOptions>;
  return {
    ...rest,
    ignored: [...new Set(rest.ignored)],
    compile: { ...given, language, defines, undefines, includePaths, forcedIncludes, warnings },
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
