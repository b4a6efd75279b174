/** The options of the library's functions, checked by name, and by value where a mistake is likely. */
import { DATA_MODELS } from "../base/data-model.ts";
import { HeddleError } from "../base/diagnostics.ts";
import { checkOptions, describeValue, type OptionNames } from "../base/options.ts";
import { parseDeviceKind } from "../device/common/device-kind.ts";
import { parseEngineChoice } from "../device/emulated/engines.ts";
import { COMPILER_OPTION_NAMES, NVCC_MEANT } from "../program/compile-option-names.ts";
import type { DeviceOptions } from "./environment.ts";
import { Gpu } from "./gpu.ts";
import type { CompileOptions } from "./gpu-program.ts";

export const DEVICE_OPTION_NAMES: OptionNames<DeviceOptions> = {
  device: true,
  ordinal: true,
  timeoutMs: true,
  onPrint: true,
  gpu: true,
  engine: true,
  memoryBytes: true,
  workers: true,
  model: true,
  reuse: true,
};

const COMPILE_OPTION_NAMES: OptionNames<CompileOptions> = {
  device: true,
  kernels: true,
  path: true,
  ...COMPILER_OPTION_NAMES,
};

/** nvcc's flags, and what belongs to openDevice. */
const COMPILE_MEANT: Readonly<Record<string, string>> = {
  ...NVCC_MEANT,
  filename: "path",
  name: "path",
  gpu: "device",
};

/** @throws HeddleError "bad-arguments" */
export function checkDeviceOptions(what: string, options: DeviceOptions): void {
  checkOptions<DeviceOptions>(what, options, DEVICE_OPTION_NAMES, { example: `${what}({ device: "auto" })` });
  if (options.device !== undefined) parseDeviceKind(options.device);
  if (options.engine !== undefined) parseEngineChoice(options.engine);
  const fail = (name: keyof DeviceOptions, must: string): never => {
    throw new HeddleError("bad-arguments", `${name} of ${what} must be ${must}, not ${describeValue(options[name])}`);
  };
  if (options.ordinal !== undefined && !isWhole(options.ordinal, 0)) fail("ordinal", "a whole number from 0 on");
  if (options.workers !== undefined && !isWhole(options.workers, 1)) fail("workers", "a whole number above 0");
  if (options.timeoutMs !== undefined && !(typeof options.timeoutMs === "number" && options.timeoutMs > 0))
    fail("timeoutMs", "a number of milliseconds above 0");
  if (options.memoryBytes !== undefined && !isWhole(options.memoryBytes, 1))
    fail("memoryBytes", "a whole number of bytes above 0");
  if (options.model !== undefined && DATA_MODELS[options.model] === undefined) fail("model", '"lp64" or "ilp32"');
  if (options.onPrint !== undefined && typeof options.onPrint !== "function")
    fail("onPrint", "a function that takes a text");
  if (options.gpu !== undefined && typeof options.gpu !== "string") fail("gpu", 'the name of a GPU, such as "rtx4090"');
  if (options.reuse !== undefined && typeof options.reuse !== "boolean") fail("reuse", "true or false");
}

function isWhole(value: unknown, least: number): boolean {
  return Number.isInteger(value) && (value as number) >= least;
}

const LISTS = ["kernels", "defines", "undefines", "includePaths", "forcedIncludes", "warnings"] as const;

/** @throws HeddleError "bad-arguments" */
export function checkCompileOptions(what: string, options: CompileOptions): void {
  checkOptions<CompileOptions>(what, options, COMPILE_OPTION_NAMES, {
    example: `${what}(…, { device, defines: ["N=1024"] })`,
    meant: COMPILE_MEANT,
  });
  if (options.device !== undefined) checkDevice(what, options.device);
  for (const name of LISTS) {
    const value: unknown = options[name];
    if (value === undefined || (Array.isArray(value) && value.every((entry) => typeof entry === "string"))) continue;
    throw new HeddleError("bad-arguments", `${name} of ${what} is a list of texts, not ${describeValue(value)}`, {
      notes: [`for example ${name}: ${LIST_EXAMPLES[name]}`],
    });
  }
  if (options.optimize !== undefined && ![0, 1, 2, 3].includes(options.optimize))
    throw new HeddleError(
      "bad-arguments",
      `optimize of ${what} is 0, 1, 2 or 3, not ${describeValue(options.optimize)}`,
    );
}

const LIST_EXAMPLES: Readonly<Record<(typeof LISTS)[number], string>> = {
  kernels: '["reduce<float, 256>"]',
  defines: '["N=1024"]',
  undefines: '["NDEBUG"]',
  includePaths: '["include"]',
  forcedIncludes: '["config.h"]',
  warnings: '["-Wall"]',
};

/** @throws HeddleError "bad-arguments" for what is no device that openDevice returned. */
export function checkDevice(what: string, device: unknown): void {
  if (device instanceof Gpu) return;
  const options =
    device === "cuda" || device === "auto" || device === "emulated" ? `{ device: "${device}" }` : '{ device: "auto" }';
  throw new HeddleError(
    "bad-arguments",
    `the device of ${what} is one that openDevice returned, not ${describeValue(device)}`,
    {
      notes: [
        device instanceof Promise
          ? "await openDevice(…) returns it"
          : `for example const device = await openDevice(${options}), then ${what}(…, { device })`,
      ],
    },
  );
}
