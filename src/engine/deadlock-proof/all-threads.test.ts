import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CONTROL, GATE_DONE, stallWords } from "../../device/emulated/control-words.ts";
import { StallWatch, resetStall } from "./all-threads.ts";

/** Each call of stalled() stands for a round that changed nothing. */
describe("StallWatch", () => {
  const words = new Int32Array(new SharedArrayBuffer(256));
  let [a, b]: [StallWatch, StallWatch] = [new StallWatch(stallWords(words)), new StallWatch(stallWords(words))];
  const inside = (threads: number): void => void Atomics.store(words, CONTROL.gate, threads);

  beforeEach(() => {
    resetStall(stallWords(words));
    [a, b] = [new StallWatch(stallWords(words)), new StallWatch(stallWords(words))];
  });

  afterEach(() => vi.restoreAllMocks());

  it("proves it after a round of silence that began when all had declared", () => {
    inside(2);
    expect(a.stalled()).toBe(false);
    expect(b.stalled()).toBe(false);
    expect(a.stalled()).toBe(false);
    expect(b.stalled()).toBe(false);
    expect(a.stalled() || b.stalled()).toBe(true);
  });

  it("a thread that writes and leaves while another looks may have ended the other's wait", () => {
    inside(2);
    expect(a.stalled()).toBe(false);
    // b writes what a waits for and leaves, after a has looked and before a asks.
    b.progressed();
    inside(1);
    expect(a.stalled()).toBe(false);
    expect(a.stalled()).toBe(true);
  });

  it("a thread that is done but not gone does not count", () => {
    inside(2 + GATE_DONE);
    expect([a.stalled(), a.stalled()]).toEqual([false, true]);
  });

  it("a confirmation of an epoch that has passed meanwhile leaves the next one's count alone", () => {
    inside(2);
    expect([a.stalled(), b.stalled(), a.stalled()]).toEqual([false, false, false]);
    // While a confirms, b moves, stands still again and confirms.
    const { load } = Atomics;
    let meanwhile: (() => void) | null = () => {
      b.progressed();
      expect([b.stalled(), b.stalled()]).toEqual([false, false]);
    };
    vi.spyOn(Atomics, "load").mockImplementation(((array: Int32Array, index: number) => {
      const run = index === CONTROL.stallConfirmed ? meanwhile : null;
      if (run !== null) {
        meanwhile = null;
        run();
      }
      return load(array, index);
    }) as typeof Atomics.load);
    expect(a.stalled()).toBe(false);
    vi.restoreAllMocks();
    expect([a.stalled(), a.stalled() || b.stalled()]).toEqual([false, true]);
  });

  it("one that moves takes its word back, and confirmations are void", () => {
    inside(2);
    expect([a.stalled(), b.stalled(), a.stalled()]).toEqual([false, false, false]);
    b.progressed();
    expect([a.stalled(), a.stalled()]).toEqual([false, false]);
    expect([b.stalled(), a.stalled(), b.stalled()]).toEqual([false, false, false]);
    expect(a.stalled() || b.stalled()).toBe(true);
  });

  it("a thread alone needs a second look, too", () => {
    inside(1);
    expect([a.stalled(), a.stalled()]).toEqual([false, true]);
  });
});
