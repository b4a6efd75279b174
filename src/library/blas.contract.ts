/**
 * What products of `Blas` must give on every device: the emulated one runs this in its tests, a GPU in `npm run
 * test:gpu`.
 */
import type { Dtype } from "../base/dtypes.ts";
import type { Gpu } from "./gpu.ts";
import type { Blas } from "./blas.ts";
import type { MatmulOptions } from "./matmul-options.ts";
import type { TestFramework } from "../device/device.contract.ts";

export interface BlasSubject {
  readonly name: string;
  open(): Promise<Gpu>;
  openBlas(gpu: Gpu): Promise<Blas>;
}

type Case = Partial<Omit<MatmulOptions, "a" | "b" | "c" | "bias">> & {
  readonly title: string;
  readonly types?: readonly [Dtype, Dtype];
  readonly hasBias?: boolean;
};

const CASES: readonly Case[] = [
  { title: "float32, row by row" },
  { title: "float32, column by column", order: "column" },
  { title: "a transposed", transposeA: true },
  { title: "b transposed, column by column", transposeB: true, order: "column" },
  { title: "both transposed, factors", transposeA: true, transposeB: true, alpha: 0.5, beta: -2 },
  { title: "lines with room between them", lda: 40, ldb: 64, ldc: 50, beta: 1 },
  { title: "a batch, of which b is shared", batch: { count: 3, strideA: 600, strideB: 0, strideC: 700 } },
  { title: "float64", types: ["float64", "float64"], alpha: 3 },
  { title: "float16", types: ["float16", "float16"] },
  { title: "float16 to float32", types: ["float16", "float32"], transposeB: true },
  { title: "bfloat16 to float32", types: ["bfloat16", "float32"] },
  { title: "int8", types: ["int8", "int32"], k: 32, m: 20, n: 24, order: "column", transposeA: true },
  { title: "a bias", hasBias: true },
  { title: "a bias and relu, column by column", hasBias: true, activation: "relu", order: "column" },
  { title: "gelu in float16", types: ["float16", "float16"], activation: "gelu", hasBias: true, k: 32, n: 24, m: 16 },
];

export function blasContract(subject: BlasSubject, { describe, it, expect, beforeAll, afterAll }: TestFramework): void {
  describe(`Blas: ${subject.name}`, () => {
    let gpu: Gpu;
    let blas: Blas;
    beforeAll(async () => {
      gpu = await subject.open();
      blas = await subject.openBlas(gpu);
    });
    afterAll(() => {
      blas.close();
      gpu.close();
    });
    for (const test of CASES) {
      it(test.title, async () => {
        const {
          m = 20,
          n = 30,
          k = 25,
          types: [type, resultType] = ["float32", "float32"],
          alpha = 1,
          beta = 0,
          batch,
          order = "row",
          transposeA = false,
          transposeB = false,
        } = test;
        // Small whole numbers: exact in every type, in whatever order they are added.
        const numbers = (length: number, seed: number): number[] =>
          Array.from({ length }, (_, i) => ((i * 7 + seed * 13 + ((i * i) >> 3)) % 5) - 2);
        const room = 2500;
        const [a, b, c] = [numbers(room, 1), numbers(room, 2), numbers(room, 3)];
        const bias = test.hasBias === true ? numbers(Math.max(m, n), 4) : null;
        const on = { a: gpu.array(a, type), b: gpu.array(b, type), c: gpu.array(c, resultType) };
        const { title: _title, types: _types, hasBias: _hasBias, ...options } = test;
        const request = { m, n, k, ...options, ...on, ...(bias === null ? {} : { bias: gpu.array(bias, resultType) }) };
        await blas.matmul(request);
        await gpu.synchronize();
        const got = Array.from((await on.c.read()) as ArrayLike<number>);
        const isRow = order === "row";
        const at = (row: number, column: number, rows: number, columns: number, ld: number | undefined): number =>
          isRow ? row * (ld ?? columns) + column : row + column * (ld ?? rows);
        const wanted = [...c];
        for (let matrix = 0; matrix < (batch?.count ?? 1); matrix++) {
          for (let i = 0; i < m; i++) {
            for (let j = 0; j < n; j++) {
              let sum = 0;
              for (let x = 0; x < k; x++) {
                const left = a[
                  (batch?.strideA ?? 0) * matrix + (transposeA ? at(x, i, k, m, test.lda) : at(i, x, m, k, test.lda))
                ] as number;
                sum +=
                  left *
                  (b[
                    (batch?.strideB ?? 0) * matrix + (transposeB ? at(j, x, n, k, test.ldb) : at(x, j, k, n, test.ldb))
                  ] as number);
              }
              const place = (batch?.strideC ?? 0) * matrix + at(i, j, m, n, test.ldc);
              let value =
                alpha * sum + beta * (c[place] as number) + (bias === null ? 0 : (bias[isRow ? j : i] as number));
              if (test.activation === "relu") value = Math.max(0, value);
              if (test.activation === "gelu")
                value = 0.5 * value * (1 + Math.tanh(0.7978845608 * (value + 0.044715 * value ** 3)));
              wanted[place] = value;
            }
          }
        }
        const tolerance = test.activation === "gelu" ? 2 ** -9 : 0;
        const worst = wanted.findIndex(
          (value, i) => !(Math.abs((got[i] as number) - value) <= tolerance * Math.max(1, Math.abs(value))),
        );
        expect(worst === -1 ? "equal" : `element ${worst} is ${got[worst]}, not ${wanted[worst]}`).toBe("equal");
        // The same, prepared first.
        await on.c.write(c);
        (await blas.prepare(request))();
        await gpu.synchronize();
        expect(Array.from((await on.c.read()) as ArrayLike<number>).join()).toBe(got.join());
        for (const array of Object.values(on)) array.free();
      });
    }
    it("says what does not fit", async () => {
      const [a, b, c] = [gpu.array(4, "float32"), gpu.array(4, "float32"), gpu.array(4, "float64")];
      await expect(blas.matmul({ m: 2, n: 2, k: 2, a, b, c })).rejects.toThrow(
        /a result of float64 cannot be made of float32/,
      );
      await expect(blas.matmul({ m: 2, n: 2, k: 3, a, b, c: b })).rejects.toThrow(
        /a has 4 elements, the product reaches 6/,
      );
    });
  });
}
