/** `@triton.autotune` in a host program, and what a compiled kernel says of itself. */
import { afterAll, describe, expect, it } from "vitest";
import { loadTriton, type AutotuneChoice, type TritonOptions } from "../triton.ts";
import { createOpenTriton } from "./load-triton.ts";
import { SourceText } from "../frontend/triton/syntax/source-text.ts";
import type { ContentCache } from "../store/store.ts";
import { sha256 } from "../store/sha256.ts";
import { autotuneText } from "./triton-autotune.ts";
import type { Gpu } from "./gpu.ts";

/** The second configuration does a hundred times the work. */
const file = (options: string, configs = "[config(64, 100), config(64, 1)]"): string => `import triton
import triton.language as tl

def config(block, turns, hook=None):
    return triton.Config({"BLOCK": block, "TURNS": turns}, num_warps=2, pre_hook=hook)

def few(configs, named_args, **kwargs):
    return [c for c in configs if c.kwargs["BLOCK"] <= named_args["n"]]

def cost(n, TURNS, **others):
    return TURNS * n

def clear(nargs):
    nargs["out"].fill_(10)

@triton.autotune(configs=${configs}, key=["n"]${options})
@triton.jit
def count(out, n, BLOCK: tl.constexpr, TURNS: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = i * 1.0
    for turn in range(TURNS * n):
        x = tl.sin(x)
    tl.store(out + i, tl.load(out + i) + 1 + tl.where(x > 100, 1, 0))

@triton.jit
def plain(out, n):
    tl.store(out, n)
`;

let device: Gpu | undefined;
afterAll(() => device?.close());

async function launched(
  source: string,
  options: TritonOptions = {},
  n = 100,
): Promise<{ values: number[]; choices: AutotuneChoice[] }> {
  const choices: AutotuneChoice[] = [];
  const onAutotune = (choice: AutotuneChoice): void => void choices.push(choice);
  const program = await loadTriton(source, { ...(device && { device }), autotune: "measure", onAutotune, ...options });
  device = program.device;
  const out = program.device.array(new Int32Array(128));
  await program.kernel("count").launch({ grid: 1 }, out, n);
  await program.kernel("count").launch({ grid: 1 }, out, n);
  return { values: Array.from(await out.read(0, 2), Number), choices };
}

describe("autotune", () => {
  it("takes the first configuration on an emulated device, and measures where it is asked to", async () => {
    const first = await launched(file(""), { autotune: "first" });
    expect(first).toEqual({ values: [2, 2], choices: [] });
    const { values, choices } = await launched(file(', restore_value=["out"]'));
    expect(values).toEqual([2, 2]);
    expect(choices).toHaveLength(1);
    expect(choices[0]).toMatchObject({
      kernel: "count",
      key: ["100", "int32"],
      config: "BLOCK: 64, TURNS: 1, num_warps: 2, num_ctas: 1, num_stages: 3, maxnreg: None",
      isKept: false,
    });
    expect(choices[0]?.times[0]?.ms).toBeGreaterThan(choices[0]?.times[1]?.ms as number);
    expect(autotuneText(choices[0] as AutotuneChoice)).toMatch(
      /^Triton autotuning for function count,\nwith key as \(100, int32\),\nfinished after \d+\.\d\ds,\nbest config/,
    );
  });

  it("resets arrays to zero before each measured launch", async () => {
    const { values } = await launched(file(', reset_to_zero=["out"]'));
    expect(values).toEqual([3, 3]); // what the last measured launch left, and two launches
  });

  it("prunes configurations, by a function and by a model", async () => {
    const configs = "[config(64, 100), config(32, 50), config(64, 1), config(128, 1)]";
    const early = await launched(file(', prune_configs_by={"early_config_prune": few}', configs), {}, 40);
    expect(early.choices).toEqual([]);
    const model = await launched(file(', prune_configs_by={"perf_model": cost, "top_k": 2}', configs), {}, 200);
    expect(model.choices[0]?.times.map(({ config }) => /BLOCK: \d+, TURNS: \d+/.exec(config)?.[0]).sort()).toEqual([
      "BLOCK: 128, TURNS: 1",
      "BLOCK: 64, TURNS: 1",
    ]);
  });

  it("calls hooks before launches", async () => {
    const { values } = await launched(file("", "[config(64, 1, clear)]"));
    expect(values).toEqual([11, 11]);
  });

  it("names what needs a whole Python", async () => {
    const source = file("", "[config(64, 1, clear)]").replace('nargs["out"].fill_(10)', 'nargs["out"].resize_(10)');
    await expect(launched(source)).rejects.toMatchObject({
      code: "unsupported",
      location: { line: 14 },
    });
  });

  it("passes over a configuration that cannot be launched, and fails if none can", async () => {
    const { choices } = await launched(file("", "[config(63, 1), config(64, 1)]"));
    expect(choices[0]?.times[0]?.ms).toBe(Infinity);
    await expect(launched(file("", "[config(63, 1), config(65, 1)]"))).rejects.toMatchObject({ code: "compile-error" });
  });

  it("keeps its choice, also after an edit elsewhere", async () => {
    const blobs = new Map<string, Uint8Array>();
    const cache: ContentCache = {
      version: "1",
      hash: sha256,
      store: { get: (key) => blobs.get(key) ?? null, put: (key, bytes) => void blobs.set(key, bytes) },
    };
    const open = createOpenTriton(() => Promise.reject(new Error("not asked for")), cache);
    const choose = async (text: string): Promise<boolean | undefined> => {
      const choices: AutotuneChoice[] = [];
      const onAutotune = (choice: AutotuneChoice): void => void choices.push(choice);
      const own = { device: device as Gpu, autotune: "measure", onAutotune } as const;
      const program = await open(new SourceText("k.py", text), () => null, own);
      const out = program.device.array(new Int32Array(128));
      await program.kernel("count").launch({ grid: 1 }, out, 100);
      return choices[0]?.isKept;
    };
    expect(await choose(file(""))).toBe(false);
    expect(await choose(file("").replace("tl.store(out, n)", "tl.store(out, n + 1)"))).toBe(true);
    expect(await choose(file("").replace("+ 1 + tl.where", "+ 2 + tl.where"))).toBe(false);
  });

  it("refuses other modes", async () => {
    await expect(loadTriton(file(""), { autotune: "fast" as "first" })).rejects.toMatchObject({
      code: "bad-arguments",
    });
  });
});

it("a compiled kernel tells registers, shared memory, and its forms", async () => {
  const { kernels } = await loadTriton(file(""), { ...(device && { device }) });
  const compiled = await kernels["plain"]?.warmup({ numWarps: 1 }, device?.array(1, "int32") as never, 5);
  expect(compiled).toMatchObject({ name: "plain", numWarps: 1, sharedBytes: 0, nSpills: 0, registersFrom: "estimate" });
  expect(compiled?.nRegs).toBeGreaterThan(3);
  expect(compiled?.nRegs).toBeLessThan(20);
  expect(compiled?.asm.blocks).toContain("plain");
  expect(compiled?.asm.llir).toContain("define");
  expect(compiled?.asm.ptx).toContain(".visible .entry plain(");
});
