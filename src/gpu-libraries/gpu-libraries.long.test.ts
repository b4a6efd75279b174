/** Libraries from TypeScript, against sums in double precision. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { dnn, fft, openDevice, type Gpu } from "../index.ts";

let device: Gpu;
beforeAll(async () => {
  device = await openDevice({ workers: 1 });
});
afterAll(() => device.close());

const numbers = (count: number, seed = 1): number[] =>
  Array.from({ length: count }, (_, i) => (((i + seed) * 7919) % 17) / 8 - 1);

/** Complex numbers in and out: pairs. */
function transformed(x: readonly number[], sign: number): number[] {
  const n = x.length / 2;
  return Array.from({ length: 2 * n }, (_, at) => {
    const k = at >> 1;
    let sum = 0;
    for (let j = 0; j < n; j++) {
      const [re, im] = [x[2 * j] as number, x[2 * j + 1] as number];
      const angle = (sign * 2 * Math.PI * ((j * k) % n)) / n;
      sum += at % 2 === 0 ? re * Math.cos(angle) - im * Math.sin(angle) : re * Math.sin(angle) + im * Math.cos(angle);
    }
    return sum;
  });
}
function expectNear(got: Iterable<number>, wanted: readonly number[], bound: number): void {
  const all = [...got];
  expect(all.length).toBe(wanted.length);
  const largest = Math.max(...wanted.map(Math.abs));
  for (const [i, value] of all.entries()) expect(Math.abs(value - (wanted[i] as number))).toBeLessThan(bound * largest);
}

test("complex transforms in batches, both ways and in place", async () => {
  const values = numbers(2 * 2 * 60);
  const x = device.array(new Float32Array(values));
  const own = fft(device);
  const spectrum = await own.c2c(x, { shape: [60], batch: 2 });
  const wanted = [...transformed(values.slice(0, 120), -1), ...transformed(values.slice(120), -1)];
  expectNear(await spectrum.read(), wanted, 1e-6);
  const back = await own.c2c(spectrum, { shape: [60], batch: 2, direction: "inverse", out: spectrum });
  expect(back).toBe(spectrum);
  expectNear(
    await back.read(),
    values.map((value) => value * 60),
    1e-6,
  );
});

test("real transforms of doubles", async () => {
  const values = numbers(12);
  const x = device.array(new Float64Array(values));
  const spectrum = await fft(device).r2c(x, { shape: [12] });
  const pairs = values.flatMap((value) => [value, 0]);
  expectNear(await spectrum.read(), transformed(pairs, -1).slice(0, 14), 1e-14);
  const back = await fft(device).c2r(spectrum, { shape: [12] });
  expectNear(
    await back.read(),
    values.map((value) => 12 * value),
    1e-14,
  );
});

test("wrong arguments of transforms are refused by name", async () => {
  const x = device.array(new Float32Array(8));
  await expect(fft(device).c2c(x, { shape: [8] })).rejects.toThrow("must have 16 elements, not 8");
  await expect(fft(device).c2c(x, { shape: [0] })).rejects.toThrow("whole numbers from 1 on");
  await expect(fft(device).c2c(x, { shape: [4], sizes: [4] } as never)).rejects.toThrow('did you mean "shape"');
  await expect(fft(device).c2c(device.array(new Int32Array(8)) as never, { shape: [4] })).rejects.toThrow("int32");
});

const SHAPE = { shape: [2, 4, 5, 6], filter: [6, 2, 3, 2], stride: [2, 1], padding: 1, groups: 2 } as const;

/** Calls back for every product of the convolution: places in x, w and y. */
function products(call: (x: number, w: number, y: number) => void): number {
  const [rows, columns] = [3, 7];
  for (let n = 0; n < 2; n++)
    for (let k = 0; k < 6; k++)
      for (let i = 0; i < rows; i++)
        for (let j = 0; j < columns; j++)
          for (let c = 0; c < 2; c++)
            for (let p = 0; p < 3; p++)
              for (let q = 0; q < 2; q++) {
                const [row, column] = [2 * i + p - 1, j + q - 1];
                if (row < 0 || row >= 5 || column < 0 || column >= 6) continue;
                const channel = (k < 3 ? 0 : 2) + c;
                call(
                  ((n * 4 + channel) * 5 + row) * 6 + column,
                  ((k * 2 + c) * 3 + p) * 2 + q,
                  ((n * 6 + k) * rows + i) * columns + j,
                );
              }
  return 2 * 6 * rows * columns;
}

test("a convolution with bias, and its gradients", async () => {
  const [x, w, bias] = [numbers(240), numbers(72, 2), numbers(6, 3)];
  const count = products(() => {});
  const dy = numbers(count, 4);
  const [y, dx, dw] = [new Array<number>(count).fill(0), new Array<number>(240).fill(0), new Array<number>(72).fill(0)];
  products((a, b, c) => {
    y[c] = (y[c] as number) + (x[a] as number) * (w[b] as number);
    dx[a] = (dx[a] as number) + (dy[c] as number) * (w[b] as number);
    dw[b] = (dw[b] as number) + (dy[c] as number) * (x[a] as number);
  });
  const array = (values: number[]) => device.array(new Float32Array(values));
  const own = dnn(device);
  const got = await own.convolution(array(x), array(w), { ...SHAPE, bias: array(bias) });
  const plane = count / 12;
  expectNear(
    await got.read(),
    y.map((value, i) => value + (bias[Math.floor(i / plane) % 6] as number)),
    1e-6,
  );
  expectNear(await (await own.convolutionInputGradient(array(dy), array(w), SHAPE)).read(), dx, 1e-6);
  expectNear(await (await own.convolutionFilterGradient(array(x), array(dy), SHAPE)).read(), dw, 1e-6);
  await expect(own.convolution(array(x), array(w), { ...SHAPE, groups: 1 })).rejects.toThrow("do not fit");
});

test("convolutions of many channels, by Winograd's algorithm, agree with those of doubles", async () => {
  const own = dnn(device);
  const shape = { shape: [1, 16, 7, 8], filter: [16, 16, 3, 3], padding: 1 } as const;
  const [x, w] = [numbers(16 * 56), numbers(16 * 16 * 9, 2)];
  const floats = [new Float32Array(x), new Float32Array(w)].map((values) => device.array(values));
  const doubles = floats.map((_, i) => device.array(new Float64Array(new Float32Array(i === 0 ? x : w))));
  for (const call of ["convolution", "convolutionInputGradient"] as const) {
    const expected = await (await own[call](doubles[0]!, doubles[1]!, shape)).read();
    expectNear(await (await own[call](floats[0]!, floats[1]!, shape)).read(), [...expected], 4e-6);
  }
});

test("softmax of rows", async () => {
  const values = [1, 2, 3, 1000, 1000, 1000];
  const y = await dnn(device).softmax(device.array(new Float32Array(values)), { columns: 3 });
  const total = Math.exp(-2) + Math.exp(-1) + 1;
  expectNear(await y.read(), [Math.exp(-2) / total, Math.exp(-1) / total, 1 / total, 1 / 3, 1 / 3, 1 / 3], 1e-6);
});
