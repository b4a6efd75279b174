/** Every function of NVML returns only errors that its documentation names (nvml-errors.txt), each where it says so. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { heddle } from "../../src/cli/heddle-process.test-helper.ts";
import { documented } from "./names.mjs";

const here = import.meta.dirname;
const root = resolve(here, "../..");

/** They need no nvmlInit. */
const ALWAYS = ["nvmlSystemGetNVMLVersion", "nvmlSystemGetCudaDriverVersion", "nvmlSystemGetCudaDriverVersion_v2"];
/** Their pages name no error for a device without the feature; the emulated device says NOT_SUPPORTED. */
const UNSAID = [
  "nvmlDeviceGetCurrentClockFreqs",
  "nvmlDeviceGetPerformanceModes",
  "nvmlDeviceGetRowRemapperHistogram",
  "nvmlDeviceGetVbiosVersion",
  "nvmlDevicePowerSmoothingUpdatePresetProfileParam",
];
/** Their structs have numbers of versions of their own. */
const OTHER_VERSIONS = ["nvmlVgpuInstanceGetMetadata", "nvmlDeviceGetVgpuMetadata", "nvmlGetVgpuCompatibility"];
/** Every page has the first; the others follow from a parameter's type. */
const EVERYWHERE = ["SUCCESS", "UNINITIALIZED", "INVALID_ARGUMENT", "ARGUMENT_VERSION_MISMATCH"];

function words(file: string): string[][] {
  const lines = readFileSync(join(here, file), "utf8").trimEnd().split("\n");
  return lines.map((line) => line.split(" "));
}
function errorNames(): Map<string, string> {
  const text = readFileSync(join(root, "include/heddle/nvml_enums.h"), "utf8");
  const found = [...text.matchAll(/\bNVML_(?:ERROR_)?(\w+) = (\d+)(?=[^{}]*\} nvmlReturn_t;)/g)];
  return new Map(found.map(([, name, number]) => [number!, name!]));
}

/** What a function may return in a situation. */
function allowed(name: string, situation: string, page: readonly string[]): readonly string[] {
  if (situation === "before") return ["UNINITIALIZED"];
  if (situation === "null" || situation === "device") return ["INVALID_ARGUMENT"];
  const hasVersion = !OTHER_VERSIONS.includes(name) && !name.startsWith("nvmlGpuInstance");
  if (situation === "version" && hasVersion) return ["ARGUMENT_VERSION_MISMATCH"];
  return [...EVERYWHERE, ...page, ...(UNSAID.includes(name) ? ["NOT_SUPPORTED"] : [])];
}

test("NVML's errors", () => {
  const { stdout, status } = heddle(["run", join(here, "nvml-errors.cpp"), "-lnvidia-ml"]);
  expect(status).toBe(0);
  const names = errorNames();
  const pages = new Map(words("nvml-errors.txt").map(([name, ...errors]) => [name!, errors]));
  const rows = stdout
    .trimEnd()
    .split("\n")
    .slice(0, -1)
    .map((line) => line.split(" "));
  const called: string[] = [];
  const wrong: string[] = [];
  for (const [name, ...results] of rows as [string, ...string[]][]) {
    called.push(name);
    const statuses = results.map((result) => result.split("=") as [string, string]);
    for (const [situation, number] of statuses) {
      const error = names.get(number) ?? number;
      const isRight =
        allowed(name, situation, pages.get(name)!).includes(error) || (situation === "before" && ALWAYS.includes(name));
      if (!isRight) wrong.push(`${name}: ${situation}: ${error}`);
    }
  }
  expect(wrong).toEqual([]);
  const unchanged = ["nvmlInit", "nvmlInit_v2", "nvmlInitWithFlags", "nvmlShutdown"];
  expect([...called, ...unchanged].toSorted()).toEqual(documented("nvml").toSorted());
});
