import { afterEach, expect, it, vi } from "vitest";
import { CONTROL, GATE_OPEN, controlWords } from "./control-words.ts";
import { DeviceMemory } from "./memory.ts";
import { runPoolWorker } from "./pool-worker.ts";

afterEach(() => vi.restoreAllMocks());

it("a worker that comes late does not get into the next launch, which has no place for it", () => {
  const memory = new DeviceMemory(3).wasm;
  const words = controlWords(memory);
  words[CONTROL.workerLimit] = 3;
  words[CONTROL.generation] = 1;
  words[CONTROL.gate] = GATE_OPEN;
  // Between its look at the limit and the gate, another launch begins: a cooperative one, on one worker.
  const { compareExchange } = Atomics;
  const entering = vi.spyOn(Atomics, "compareExchange").mockImplementation(((
    array: Int32Array,
    ...rest: [number, number, number]
  ) => {
    words[CONTROL.workerLimit] = 1;
    return compareExchange(array, ...rest);
  }) as typeof Atomics.compareExchange);
  vi.spyOn(Atomics, "wait").mockImplementation(() => {
    words[CONTROL.close] = 1;
    return "not-equal";
  });
  // It would fail to read the launch: there is none.
  runPoolWorker({ memory, index: 1, threads: 3 }, {});
  expect(entering).toHaveBeenCalledOnce();
  expect(words[CONTROL.gate]).toBe(GATE_OPEN);
});
