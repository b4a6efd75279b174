/** `heddle run`, `check`, `profile` and `compile` of a Python file with Triton kernels: launches come as text. */
import { readFileSync } from "node:fs";
import { HeddleError } from "../../base/diagnostics.ts";
import { printKernel } from "../../frontend/triton/blocks/print.ts";
import { parseDeviceKind, type DeviceKind } from "../../device/common/device-kind.ts";
import { DEFAULT_GPU, gpuProperties } from "../../device/emulated/gpus.ts";
import { Gpu } from "../../library/gpu.ts";
import { readLaunch, type TritonLaunch } from "../../library/triton-launch.ts";
import { importFromDisk, pythonFile } from "../../library/triton-files-node.ts";
import { nodeContentCache } from "../../frontend/clang/content-cache-node.ts";
import { createOpenTriton } from "../../library/load-triton.ts";
import type { TritonProgram } from "../../library/triton.ts";
import { nodeEnvironment } from "../../library/environment-node.ts";
import { sourceLines } from "../../library/source-lines-node.ts";
import { printModule } from "../../ir/text/print.ts";
import { parseTimeout } from "../python-files.ts";
import { useColor } from "../terminal.ts";
import { writeOutput } from "../write-output.ts";
import { ExitCode } from "../exit-codes.ts";

export type TritonCommand = "run" | "check" | "profile" | "compile" | "debug";

export interface Options {
  readonly file: string;
  readonly launches: readonly string[];
  readonly emit: string;
  readonly output: string | null;
  readonly gpu: string;
  readonly device: DeviceKind;
  /** Seconds; null: no limit. */
  readonly timeout: number | null;
  readonly tools: readonly string[] | null;
  readonly lines: boolean;
  readonly globals: Readonly<Record<string, string>>;
  /** Of debug: which program, at most so many steps, the file for JSON ("" is standard output). */
  readonly program: readonly number[] | null;
  readonly steps: number | null;
  readonly json: string | null;
}

export function parse(command: TritonCommand, args: readonly string[]): Options {
  const options = {
    file: "",
    launches: [] as string[],
    emit: "ir",
    output: null as string | null,
    gpu: DEFAULT_GPU,
    device: "emulated" as DeviceKind,
    timeout: null as number | null,
    tools: null as readonly string[] | null,
    lines: false,
    globals: {} as Record<string, string>,
    program: null as readonly number[] | null,
    steps: null as number | null,
    json: null as string | null,
  };
  const rest = args.flatMap((argument) => {
    const [, flag, value] = /^(--(?!json\b)\w+)=([\s\S]*)$/.exec(argument) ?? [];
    return flag === undefined ? [argument] : [flag, value as string];
  });
  for (let i = 0; i < rest.length; i++) {
    const flag = rest[i] as string;
    const value = (): string => {
      const next = rest[++i];
      if (next === undefined) throw new HeddleError("bad-arguments", `${flag} needs a value`);
      return next;
    };
    switch (flag) {
      case "--launch":
        options.launches.push(value());
        break;
      case "--gpu":
        options.gpu = value();
        break;
      case "--set": {
        const [, name, expression] = /^(\w+)=([\s\S]+)$/.exec(value()) ?? [];
        if (name === undefined) throw new HeddleError("bad-arguments", "--set takes NAME=PYTHON, as --set FAST=True");
        options.globals[name] = expression as string;
        break;
      }
      default:
        if (!parseOwn(command, flag, value, options)) {
          if (flag.startsWith("-") || options.file !== "")
            throw new HeddleError("bad-arguments", `heddle ${command} of a Python file does not take ${flag}`, {
              notes: [`heddle ${command} --help shows what it takes`],
            });
          options.file = flag;
        }
    }
  }
  return options;
}

/** Options of single commands. */
function parseOwn(
  command: TritonCommand,
  flag: string,
  value: () => string,
  options: { -readonly [K in keyof Options]: Options[K] },
): boolean {
  if (command === "run" && flag === "--timeout") options.timeout = parseTimeout(value());
  else if (command === "run" && flag === "--device") options.device = parseDeviceKind(value());
  else if (command === "compile" && flag === "--emit") options.emit = value();
  else if (command === "compile" && flag === "-o") options.output = value();
  else if (command === "check" && flag === "--tool") options.tools = value().split(",");
  else if (command === "profile" && flag === "--lines") options.lines = true;
  else if (command === "debug" && flag === "--program") options.program = value().split(",").map(Number);
  else if (command === "debug" && flag === "--steps") options.steps = Number(value());
  else if (command === "debug" && /^--json(=|$)/.test(flag)) options.json = flag.slice("--json=".length);
  else return false;
  return true;
}

/** The launches, with arrays on the device. @throws HeddleError "bad-arguments" without any */
export function launchesOf(
  program: TritonProgram,
  { file, launches }: Options,
  command: TritonCommand,
): TritonLaunch[] {
  if (launches.length > 0) return launches.map((text) => readLaunch(program, text));
  const example = exampleLaunch(program, readFileSync(file, "utf8"));
  throw new HeddleError("bad-arguments", `${file} has kernels, and no launch is given`, {
    notes: [
      ...program.kernelNames().map((kernel) => program.kernel(kernel).signature),
      `heddle ${command} ${file} --launch '${example}'`,
    ],
  });
}

/** A launch as text, for a person who will change its numbers: of a kernel that no other function calls. */
function exampleLaunch(program: TritonProgram, text: string): string {
  const names = program.kernelNames();
  const name = names.findLast((own) => !new RegExp(`(?<!def )\\b${own}\\(`).test(text)) ?? names.at(-1) ?? "KERNEL";
  const [, list = ""] = /\((.*)\)$/.exec(names.length === 0 ? "" : program.kernel(name).signature) ?? [];
  const own = text.slice(Math.max(0, text.search(new RegExp(`def ${name}\\b`))));
  const args = list.split(", ").filter((param) => param !== "" && !param.includes("="));
  const isConstant = (param: string): boolean => param.includes("constexpr");
  const positional = args.findLastIndex((param) => !isConstant(param)) + 1;
  const values = args.map((param, i) => {
    const [word = ""] = param.split(":");
    if (isConstant(param)) {
      const value = /size|block|^[A-Z]$/i.test(word) ? 256 : 16;
      return i < positional ? `${value}` : `${word}=${value}`;
    }
    const isArray = new RegExp(`(?:load|store|atomic_\\w+|make_\\w+)\\(\\s*${word}\\b`).test(own);
    return isArray || /ptr$/i.test(word) ? "float32[1024]" : "1024";
  });
  return `${name}[4](${values.join(", ")})`;
}

const environment = nodeEnvironment();

export async function openGpu(device: DeviceKind, gpu: string, timeout: number | null = null): Promise<Gpu> {
  const limit = timeout === null ? {} : { timeoutMs: timeout * 1000 };
  const opened = await environment.openDevice({ device, gpu, ...limit });
  return new Gpu(opened, (text) => process.stdout.write(text));
}

export function openFile(device: Gpu, { file, globals }: Options): Promise<TritonProgram> {
  return createOpenTriton(() => Promise.resolve(device), nodeContentCache())(pythonFile(file), importFromDisk, {
    device,
    globals,
  });
}

async function launchAll(device: Gpu, options: Options, command: TritonCommand): Promise<TritonLaunch[]> {
  const program = await openFile(device, options);
  const launches = launchesOf(program, options, command);
  for (const { kernel, options: own, positional, keywords } of launches)
    await program.kernel(kernel).launch(own, ...positional, keywords);
  return launches;
}

export async function tritonCommand(
  command: Exclude<TritonCommand, "debug">,
  args: readonly string[],
): Promise<number> {
  const options = parse(command, args);
  switch (command) {
    case "run":
      return runKernels(options);
    case "check":
      return checkKernels(options);
    case "profile":
      return profileKernels(options);
    case "compile":
      return compileKernels(options);
  }
}

const SHOWN = 8;

async function runKernels(options: Options): Promise<number> {
  const device = await openGpu(options.device, options.gpu, options.timeout);
  try {
    for (const { kernel, arrays } of await launchAll(device, options, "run")) {
      process.stdout.write(`${kernel}\n`);
      for (const { text, array } of arrays) {
        const values = await array.read();
        const shown = Array.from({ length: Math.min(SHOWN, values.length) }, (_, k) => shortNumber(values[k] ?? 0));
        process.stdout.write(`  ${text}: ${shown.join(" ")}${values.length > SHOWN ? " …" : ""}\n`);
      }
    }
  } finally {
    device.close();
  }
  return 0;
}

function shortNumber(value: number | bigint): string {
  return typeof value === "bigint" ? `${value}` : `${Number(value.toPrecision(6))}`;
}

async function checkKernels(options: Options): Promise<number> {
  const { createCheck } = await import("../../library/check.ts");
  const { callerPlace } = await import("../../library/caller-place-node.ts");
  const check = createCheck(environment, { linesOf: sourceLines, here: callerPlace });
  const { formatFindings } = await import("../../check/report-text.ts");
  const { demangle } = await import("../../base/demangle.ts");
  let launches = 0;
  const { findings } = await check(
    async (device) => {
      const made = await launchAll(device, options, "check");
      launches = made.length;
      for (const { array } of made.flatMap(({ arrays }) => arrays)) array.free();
    },
    { gpu: options.gpu, ...(options.tools === null ? {} : { tools: options.tools as never }) },
  );
  const color = useColor(process.stderr);
  process.stderr.write(formatFindings(findings, { color, linesOf: sourceLines, readable: demangle }));
  if (findings.length > 0) return ExitCode.found;
  process.stderr.write(`heddle: nothing found in ${launches} ${launches === 1 ? "launch" : "launches"}\n`);
  return 0;
}

async function profileKernels(options: Options): Promise<number> {
  const { createProfile } = await import("../../library/profile.ts");
  const profile = createProfile(environment, sourceLines);
  const { text } = await profile(
    async (device) => {
      await launchAll(device, options, "profile");
    },
    { gpu: options.gpu, lines: options.lines },
  );
  process.stderr.write(text);
  return 0;
}

async function compileKernels(options: Options): Promise<number> {
  const { emit, output } = options;
  if (!["blocks", "ir", "ptx"].includes(emit))
    throw new HeddleError("bad-arguments", `--emit of a Python file is blocks, ir or ptx, not "${emit}"`);
  const device = await openGpu("emulated", options.gpu);
  try {
    const program = await openFile(device, options);
    const texts: string[] = [];
    for (const { kernel, options: own, positional, keywords } of launchesOf(program, options, "compile")) {
      const { blocks, lowered } = program.kernel(kernel).lowered(own, [...positional, keywords], emit === "ptx");
      if (emit === "blocks") texts.push(printKernel(blocks));
      else if (emit === "ir") texts.push(printModule(lowered.module));
      else {
        const { tritonPtx } = await import("../../library/triton-ptx-node.ts");
        texts.push(await tritonPtx(lowered, gpuProperties(options.gpu).computeCapability));
      }
    }
    if (output === null) process.stdout.write(texts.join("\n"));
    else writeOutput(output, texts.join("\n"));
  } finally {
    device.close();
  }
  return 0;
}
