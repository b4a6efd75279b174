/** What nvidia-smi says, with a stand-in that has the fields of a driver. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { gpuClocks } from "./gpu-clocks-node.ts";

const path = process.env["PATH"];
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-smi-"));
  process.env["PATH"] = folder;
});
afterEach(() => {
  process.env["PATH"] = path;
  rmSync(folder, { recursive: true });
});

/** Answers queries for fields that it knows with `values`; as nvidia-smi does, it fails where it does not know one. */
function driver(values: Readonly<Record<string, string>>): void {
  const file = join(folder, "nvidia-smi");
  writeFileSync(
    file,
    `#!${process.execPath}
const [query, , id] = process.argv.slice(2);
const known = ${JSON.stringify(values)};
const fields = query.replace("--query-gpu=", "").split(",");
if (id !== "--id=3" || fields.some((field) => !(field in known))) process.exit(2);
console.log(fields.map((field) => known[field]).join(", "));
`,
  );
  chmodSync(file, 0o755);
}

const here = { CUDA_VISIBLE_DEVICES: "3,1" };
const state = { "clocks.sm": "1980", "clocks.mem": "3201", "temperature.gpu": "41" };
const counters = {
  sw_power_cap: "290624 us",
  sw_thermal_slowdown: "0 us",
  hw_thermal_slowdown: "[N/A]",
  hw_power_brake_slowdown: "0 us",
};

test("clocks, reasons, and how long each has lowered them", () => {
  driver({
    ...state,
    "clocks_event_reasons.active": "0x0000000000000004",
    ...Object.fromEntries(
      Object.entries(counters).map(([name, value]) => [`clocks_event_reasons_counters.${name}`, value]),
    ),
  });
  expect(gpuClocks(here)).toEqual({
    smMHz: 1980,
    memoryMHz: 3201,
    temperatureC: 41,
    throttled: "0x4",
    loweredMs: { "power cap": 290.624, heat: 0, "power brake": 0 },
  });
});

test("a driver of before the counters, and of before the reasons' new name", () => {
  driver({ ...state, "clocks_event_reasons.active": "0x0000000000000001" });
  expect(gpuClocks(here)).toEqual({ smMHz: 1980, memoryMHz: 3201, temperatureC: 41, throttled: null });
  driver({ ...state, "clocks_throttle_reasons.active": "0x0000000000000008" });
  expect(gpuClocks(here)).toEqual({ smMHz: 1980, memoryMHz: 3201, temperatureC: 41, throttled: "0x8" });
});

test("no nvidia-smi", () => {
  expect(gpuClocks(here)).toBeNull();
});
