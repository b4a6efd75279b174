/** What racecheck keeps of a device and of a block: every value has words of its own. */
import { expect, test } from "vitest";
import { DeviceMemory } from "../../device/emulated/memory.ts";
import type { IrFunction } from "../../ir/model/ir.ts";
import { parseModule } from "../../ir/text/parse.ts";
import { CHECK_NAMES } from "../check-names.ts";
import { Checks } from "../checks.ts";
import { RaceChecker } from "./race-checker.ts";
import { BLOCK_STATE, PLANES, STATE, STATE_VARIABLE } from "./race-state.ts";

test("the state of a block", () => {
  const { threadWords: _, threadInterval: _own, ...words } = BLOCK_STATE;
  expect(new Set(Object.values(words)).size).toBe(Object.keys(words).length);
  expect(Math.max(...Object.values(words))).toBe(BLOCK_STATE.threads);
});

function watched(): { checks: Checks; memory: DeviceMemory } {
  const checks = new Checks([new RaceChecker()]);
  return { checks, memory: new DeviceMemory(1, checks) };
}

test("the state of a device has the places of three planes, and nothing of a fourth", () => {
  const { checks, memory } = watched();
  const at = checks.addressOf(CHECK_NAMES.name(STATE_VARIABLE)) as number;
  const words = new Uint32Array(memory.bytes.buffer, at, STATE.planes + PLANES.count + 1);
  const planes = [...words.subarray(STATE.planes, STATE.planes + PLANES.count)];
  expect(new Set(planes).size).toBe(PLANES.count);
  expect(planes).not.toContain(0);
  expect(words[STATE.planes + PLANES.count]).toBe(0);
});

test.each([
  ["", true],
  [' syncscope("device")', false],
])("a kernel whose atomic operations have the scope '%s' works with the host: %j", (scope, expected) => {
  const { checks } = watched();
  const module = parseModule(
    `target triple = "nvptx-nvidia-cuda"
define ptx_kernel void @k(ptr %p) {
  %x = load i32, ptr %p, align 4
  %y = atomicrmw add ptr %p, i32 %x${scope} monotonic, align 4
  ret void
}`,
    "atomic.ll",
  );
  checks.instrument(module, new Set([module.functions.get("k") as IrFunction]));
  expect(checks.isSystemWide("k")).toBe(expected);
});
