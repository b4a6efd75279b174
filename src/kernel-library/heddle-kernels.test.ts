/**
 * The ladders that come with Heddle as functions: their types, and calls of a few. All of them:
 * kernels/ladders.long.test.ts. Needs dist/ (npm test builds it first).
 */
import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { DeviceArray, HeddleKernels, Kernels } from "../index.ts";

const root = join(import.meta.dirname, "../..");

test("src/kernel-library/heddle-kernels.ts is what the ladders make it (npm run docs)", () => {
  expect(
    execFileSync(process.execPath, [join(root, "scripts/make-kernel-types.mjs"), "--check"], { encoding: "utf8" }),
  ).toBe("");
});

/** `npm run typecheck` is the test. */
export async function calls(
  kernels: Kernels & HeddleKernels,
  x: DeviceArray<"float32">,
  i: DeviceArray<"int32">,
  h: DeviceArray<"bfloat16">,
): Promise<unknown[]> {
  const y: DeviceArray<"float32"> = await kernels.softmax(x, { columns: 10 });
  const { normed, mean }: { normed: DeviceArray<"bfloat16">; mean: DeviceArray<"float32"> } =
    await kernels.fusedResidualLayernorm(h, h, h, h);
  // @ts-expect-error neither rows nor columns
  await kernels.softmax(x, {});
  // @ts-expect-error no such size
  await kernels.softmax(x, { columns: 10, row: 3 });
  // @ts-expect-error integers
  await kernels.softmax(i, { columns: 10 });
  // @ts-expect-error one array
  await kernels.vectorAdd(x);
  // @ts-expect-error no such ladder
  await kernels.sofmax(x, { columns: 10 });
  return [y, normed, mean, await kernels.scan(i), await kernels.softmax(x, { rows: 1, columns: 10, y })];
}

test("arrays in their order, sizes where they are needed, outputs given or new; and what is wrong is said", () => {
  const script = `
    import { openDevice, openKernels } from ${JSON.stringify(join(root, "dist/index.js"))};
    const device = await openDevice({ device: "emulated", workers: 1 });
    const kernels = openKernels(device);
    const numbers = (length) => device.array(Float32Array.from({ length }, (_, i) => i % 7));
    const x = numbers(12), into = device.array(12, "float32");
    const list = async (array) => [...await array.read()];
    const said = [];
    for (const call of [
      () => kernels.softmax(x),
      () => kernels.softmax(),
      () => kernels.softmax(x, 3),
      () => kernels.softmax(x, { columns: 4 }, {}),
      () => kernels.softmax(x, x),
      () => kernels.softmax(x, { columns: 5 }),
      () => kernels.softmax(x, { columns: 4, z: into }),
      () => kernels.vectorAdd(x, numbers(11)),
      () => kernels.scan(x),
      () => kernels.softmax(x, { columns: 4, y: numbers(11) }),
      () => kernels.softmax(x, { columns: "4" }),
    ]) await call().then(
      () => said.push("nothing"),
      (error) => said.push([error.code, error.summary, ...error.notes].join("; ")),
    );
    const rows = await list(await kernels.softmax(x, { columns: 4, y: into }));
    const { bins } = await kernels.run("histogram", {}, { x: device.array(Uint8Array.of(3, 3, 255)) });
    console.log(JSON.stringify({
      sum: await list(await kernels.vectorAdd(x, x)),
      into: (await list(into)).join() === rows.join(),
      ones: [0, 4, 8].map((at) => Math.round(1e6 * (rows[at] + rows[at + 1] + rows[at + 2] + rows[at + 3])) / 1e6),
      product: await list(await kernels.matmulF32(numbers(6), numbers(3), { k: 3 })),
      bins: [(await list(bins))[3], (await list(bins))[255]],
      choice: (await kernels.choice("matmul-f32", { m: 1, n: 1, k: 1 })).version,
      // The last version is for rows of up to 2048; so are the winners.
      wide: (await kernels.choice("layernorm-backward", { rows: 4, columns: 5000 })).version, said,
    }));`;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["--input-type=module", "-e", `${script}\nawait kernels.close(); device.close();`],
    { encoding: "utf8" },
  );
  expect(stderr).toBe("");
  const got = JSON.parse(stdout) as { said: string[] };
  expect(got).toMatchObject({
    sum: [0, 2, 4, 6, 8, 10, 12, 0, 2, 4, 6, 8],
    into: true,
    ones: [1, 1, 1],
    product: [5, 14],
    bins: [2, 1],
    wide: "4-asynchronous",
  });
  expect(got.said).toEqual([
    expect.stringMatching(
      /^bad-arguments; softmax needs its size rows or columns, which "x" \(12 elements\) does not tell/,
    ),
    ...Array.from(
      { length: 4 },
      () =>
        expect.stringMatching(
          /softmax takes one array \(x\), and then sizes by their names; for example softmax\(x, \{ rows, columns \}\)/,
        ) as unknown,
    ),
    expect.stringMatching(/no rows makes "x" an array of 12 elements at columns=5/),
    expect.stringMatching(/softmax has no output "z" to write into; its outputs are y/),
    expect.stringMatching(
      /vector-add at n=12 needs 12 elements for "b", not 11; n=12 follows from the 12 elements of "a"/,
    ),
    expect.stringMatching(/scan at n=12 needs 12 elements of int32 for "x", not 12 of float32/),
    expect.stringMatching(/softmax at rows=3 columns=4 needs 12 elements for "y", not 11/),
    expect.stringMatching(/its sizes are whole numbers from 1 on/),
  ]);
});
