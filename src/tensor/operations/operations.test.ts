/** Operations against loops over single elements. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { halfToNumber, numberToHalf } from "../../base/half.ts";
import { encode, isFloating, promote, roundTo, type TensorDtype } from "../dtypes.ts";
import { COMPARISONS, type BinaryName } from "./element-functions.ts";
import { binary, cast, where } from "./elementwise.ts";
import { resultDtype } from "./operands.ts";
import { concatenate, narrow, triangle } from "./creation.ts";
import { matmul } from "./matmul.ts";
import { gatherElements } from "./gathering.ts";
import { layerNorm } from "./normalization.ts";
import { cumulativeSum, reduce, sortOrder, variance } from "./reductions.ts";
import { softmax } from "./softmax.ts";
import { expandAs } from "./broadcasting.ts";
import { clone, permute, reshape, transpose } from "./shapes.ts";
import { copyInto } from "./copies.ts";
import { elementMemory } from "../element-memory.ts";
import { empty } from "../tensor.ts";
import { DTYPES, indicesOf, shapePairs, shapes, tensorOf, type Drawn } from "../random-tensors.test-helper.ts";

const FLOATS: readonly TensorDtype[] = ["float32", "float64", "float16"];

/** The index of an operand that is broadcast. */
function operandIndex(index: readonly number[], shape: readonly number[]): number[] {
  return shape.map((size, d) => (size === 1 ? 0 : (index[index.length - shape.length + d] as number)));
}

const REFERENCES = {
  add: (x, y) => x + y,
  sub: (x, y) => x - y,
  mul: (x, y) => x * y,
  div: (x, y) => x / y,
  floor_divide: (x, y) => Math.floor(x / y),
  maximum: (x, y) => (x !== x || x >= y ? x : y),
  lt: (x, y) => Number(x < y),
  eq: (x, y) => Number(x === y),
  logical_or: (x, y) => Number(x !== 0 || y !== 0),
} satisfies Partial<Record<BinaryName, (x: number, y: number) => number>>;
const names = Object.keys(REFERENCES) as (keyof typeof REFERENCES)[];

describe("operations on elements", () => {
  it.each(names)("%s is what its function says of each pair, in the type of both", (name) => {
    const pairs = shapePairs.chain(([p, q]) => fc.tuple(tensorOf(p), tensorOf(q)));
    fc.assert(
      fc.property(pairs, ([a, b]) => {
        const result = binary(name, a.tensor, b.tensor);
        const common = resultDtype([a.tensor, b.tensor]);
        let dtype: TensorDtype = common;
        if (COMPARISONS.has(name)) dtype = "bool";
        else if (name === "div" && !isFloating(common)) dtype = "float32";
        expect(result.dtype).toBe(dtype);
        const expected = indicesOf(result.shape).map((index) => {
          const x = a.at(operandIndex(index, a.tensor.shape));
          const y = b.at(operandIndex(index, b.tensor.shape));
          // A tensor of rank 0 may be of a wider type than both are computed in.
          const [p, q] = name === "div" && !isFloating(common) ? [x, y] : [roundTo(x, common), roundTo(y, common)];
          return roundTo(REFERENCES[name](p, q), dtype);
        });
        expect([...result.values()]).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  it("a Python number changes the type only if its kind is higher", () => {
    const half = tensorValues([1, 2], "float16");
    const whole = tensorValues([1, 2], "int32");
    expect(binary("mul", half, { value: 2.5, kind: "float" }).dtype).toBe("float16");
    expect(binary("mul", whole, { value: 2, kind: "int" }).dtype).toBe("int32");
    expect(binary("mul", whole, { value: 2.5, kind: "float" }).dtype).toBe("float32");
    expect(binary("add", half, tensorValues([1], "float32")).dtype).toBe("float32");
  });

  it("where takes from both", () => {
    const drawn = shapes.chain((shape) => fc.tuple(tensorOf(shape, ["bool"]), tensorOf(shape), tensorOf(shape)));
    fc.assert(
      fc.property(drawn, ([condition, a, b]) => {
        const result = where(condition.tensor, a.tensor, b.tensor);
        const { dtype } = result;
        expect([...result.values()]).toEqual(
          indicesOf(result.shape).map((i) => roundTo(condition.at(i) === 0 ? b.at(i) : a.at(i), dtype)),
        );
      }),
      { numRuns: 60 },
    );
  });

  it("casts cut off fractions, wrap, and round", () => {
    expect([...cast(tensorValues([-1.75, 2.9, 300], "float32"), "int8").values()]).toEqual([-1, 2, 44]);
    expect([...cast(tensorValues([0, 0.5, -2], "float32"), "bool").values()]).toEqual([0, 1, 1]);
    expect([...cast(tensorValues([65504, 65520, 1e-8], "float32"), "float16").values()]).toEqual([65504, Infinity, 0]);
    expect([...cast(tensorValues([2049, 2051, 6.1e-5], "float32"), "float16").values()]).toEqual([
      2048,
      2052,
      roundTo(6.1e-5, "float16"),
    ]);
    expect([...cast(tensorValues([1.1, 60000, 70000], "float32"), "float8_e5m2").values()]).toEqual([
      1,
      57344,
      Infinity,
    ]);
    expect([...cast(tensorValues([1.1, 448, 470, 0.001], "float32"), "float8_e4m3fn").values()]).toEqual([
      1.125,
      448,
      NaN,
      0.001953125,
    ]);
  });

  it("every half and numbers beside it round as the exact conversion says", () => {
    const numbers = Array.from({ length: 1 << 16 }, (_, bits) => halfToNumber(bits)).filter((x) => x === x);
    for (const factor of [1, 1 + 2 ** -11, 1 - 2 ** -12, 1 + 2 ** -12]) {
      const floats = Float32Array.from(numbers, (x) => x * factor);
      const halves = new Uint16Array(encode(floats, "float16").buffer);
      expect([...halves]).toEqual([...floats].map(numberToHalf));
    }
  });

  it("types combine as PyTorch's do, whatever the order", () => {
    const rows: [TensorDtype, TensorDtype, TensorDtype][] = [
      ["uint8", "int8", "int16"],
      ["uint8", "int32", "int32"],
      ["int64", "float16", "float16"],
      ["float16", "bfloat16", "float32"],
      ["bool", "uint8", "uint8"],
      ["float32", "float64", "float64"],
    ];
    for (const [a, b, both] of rows) expect([promote(a, b), promote(b, a)]).toEqual([both, both]);
    for (const a of DTYPES) for (const b of DTYPES) expect(promote(a, b)).toBe(promote(b, a));
  });
});

function tensorValues(values: readonly number[], dtype: TensorDtype): ReturnType<typeof cast> {
  const source = binary("mul", float64(values), { value: 1, kind: "float" });
  return cast(source, dtype);
}

function float64(values: readonly number[]): ReturnType<typeof cast> {
  return fc.sample(tensorOf([values.length], ["float64"]), 1).map(({ tensor }) => {
    tensor.setValues(Float64Array.from(values));
    return tensor;
  })[0] as ReturnType<typeof cast>;
}

const rowsOf = ({ tensor, at }: Drawn, dim: number): number[][] => {
  const outer = tensor.shape.map((size, d) => (d === dim ? 1 : size));
  return indicesOf(outer).map((index) =>
    Array.from({ length: tensor.shape[dim] as number }, (_, i) => at(index.with(dim, i))),
  );
};

const withDim = (dtypes: readonly TensorDtype[]): fc.Arbitrary<{ drawn: Drawn; dim: number }> =>
  shapes
    .filter((shape) => shape.length > 0)
    .chain((shape) => fc.record({ drawn: tensorOf(shape, dtypes), dim: fc.nat(shape.length - 1) }));

describe("reductions", () => {
  it("sum, mean, greatest and least, and where they are", () => {
    fc.assert(
      fc.property(withDim(FLOATS), ({ drawn, dim }) => {
        const rows = rowsOf(drawn, dim);
        const { tensor } = drawn;
        const { dtype } = tensor;
        const sum = (row: readonly number[]): number => row.reduce((a, b) => a + b, 0);
        const of = (name: Parameters<typeof reduce>[0]): number[] => [...reduce(name, tensor, [dim]).values()];
        expect(of("sum")).toEqual(rows.map((row) => roundTo(sum(row), dtype)));
        expect(of("mean")).toEqual(rows.map((row) => roundTo(sum(row) / row.length, dtype)));
        expect(of("amax")).toEqual(rows.map((row) => Math.max(...row)));
        expect(of("argmin")).toEqual(rows.map((row) => row.indexOf(Math.min(...row))));
        expect(reduce("amax", tensor, [dim], true).shape).toEqual(tensor.shape.with(dim, 1));
      }),
      { numRuns: 60 },
    );
  });

  it("whole numbers are summed as int64; NaN wins", () => {
    expect(reduce("sum", tensorValues([200, 100], "uint8"), null).dtype).toBe("int64");
    expect([...reduce("sum", tensorValues([200, 100], "uint8"), null).values()]).toEqual([300]);
    expect([...reduce("amax", tensorValues([1, NaN, 3], "float32"), null).values()]).toEqual([NaN]);
  });

  it("softmax, running sums, sorting, variance", () => {
    fc.assert(
      fc.property(withDim(["float64"]), ({ drawn: { tensor, at }, dim }) => {
        const same = (
          result: { shape: readonly number[]; values(): Iterable<number> },
          row: (r: number[]) => number[],
        ) => {
          const rows = rowsOf({ tensor, at }, dim).map(row);
          const place = indicesOf(tensor.shape.with(dim, 1)).map(String);
          const values = [...result.values()];
          for (const [i, index] of indicesOf(result.shape).entries()) {
            const expected = rows[place.indexOf(String(index.with(dim, 0)))]?.[index[dim] as number] as number;
            expect(values[i]).toBeCloseTo(expected, 10);
          }
        };
        same(softmax(tensor, dim), (row) => {
          const powers = row.map(Math.exp);
          const sum = powers.reduce((a, b) => a + b, 0);
          return powers.map((power) => power / sum);
        });
        same(cumulativeSum(tensor, dim), (row) => row.map((_, i) => row.slice(0, i + 1).reduce((a, b) => a + b, 0)));
        same(gatherElements(tensor, dim, sortOrder(tensor, dim, true)), (row) => row.toSorted((a, b) => b - a));
        same(variance(tensor, [dim], 0, true), (row) => {
          const mean = row.reduce((a, b) => a + b, 0) / row.length;
          return [row.reduce((sum, x) => sum + (x - mean) ** 2, 0) / row.length];
        });
      }),
      { numRuns: 40 },
    );
  });

  it("layer norm is the textbook's", () => {
    fc.assert(
      fc.property(tensorOf([3, 4], ["float64"]), tensorOf([4], ["float64"]), ({ tensor, at }, weight) => {
        const values = [...layerNorm(tensor, [4], { weight: weight.tensor, bias: null, epsilon: 1e-5 }).values()];
        for (const [r, row] of rowsOf({ tensor, at }, 1).entries()) {
          const mean = row.reduce((a, b) => a + b, 0) / 4;
          const variation = row.reduce((sum, x) => sum + (x - mean) ** 2, 0) / 4;
          for (const [c, x] of row.entries())
            expect(values[r * 4 + c]).toBeCloseTo(((x - mean) / Math.sqrt(variation + 1e-5)) * weight.at([c]), 9);
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe("matrix products", () => {
  it("are sums of products, also of stacks that broadcast", () => {
    const drawn = fc
      .tuple(...[1, 2, 3].map(() => fc.integer({ min: 1, max: 70 })), fc.integer({ min: 1, max: 3 }))
      .chain(([m, n, k, s]) =>
        fc.tuple(tensorOf([s, m, k] as number[], ["float64"]), tensorOf([k, n] as number[], ["float64"])),
      );
    fc.assert(
      fc.property(drawn, ([a, b]) => {
        const result = matmul(a.tensor, b.tensor);
        const k = b.tensor.shape[0] as number;
        const values = [...result.values()];
        for (const [i, [s, row, column]] of (indicesOf(result.shape) as [number, number, number][]).entries()) {
          let sum = 0;
          for (let l = 0; l < k; l++) sum += a.at([s, row, l]) * b.at([l, column]);
          expect(values[i]).toBe(sum);
        }
      }),
      { numRuns: 15 },
    );
  });

  it("of vectors, and of shapes that do not fit", () => {
    const a = tensorValues([1, 2, 3], "float32");
    expect([...matmul(a, a).values()]).toEqual([14]);
    expect(matmul(a, a).shape).toEqual([]);
    expect(matmul(expandAs(a, [2, 3]), a).shape).toEqual([2]);
    expect(() => matmul(expandAs(a, [2, 3]), expandAs(a, [2, 3]))).toThrow(
      "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)",
    );
  });
});

it("copies keep all bits of whole numbers of 64", () => {
  const x = empty([2, 2], "int64", null);
  x.storage.write(0, new Uint8Array(BigInt64Array.of(2n ** 62n + 1n, 2n, -(2n ** 62n) - 3n, 4n).buffer));
  const copy = clone(transpose(x, 0, 1));
  expect([...new BigInt64Array(elementMemory(copy).buffer)]).toEqual([2n ** 62n + 1n, -(2n ** 62n) - 3n, 2n, 4n]);
  copyInto(transpose(x, 0, 1), copy);
  expect(new BigInt64Array(elementMemory(x).buffer)[2]).toBe(-(2n ** 62n) - 3n);
});

describe("shapes", () => {
  it("other shapes and orders keep the elements", () => {
    const drawn = shapes.filter((shape) => shape.length > 1).chain((shape) => tensorOf(shape));
    fc.assert(
      fc.property(drawn, ({ tensor, at }) => {
        const all = indicesOf(tensor.shape).map(at);
        expect([...reshape(tensor, [-1]).values()]).toEqual(all);
        const folded = reshape(tensor, [...tensor.shape.slice(0, -2), -1]);
        expect([...reshape(folded, tensor.shape).values()]).toEqual(all);
        const turned = transpose(tensor, 0, -1);
        expect([...turned.values()]).toEqual(
          indicesOf(turned.shape).map((index) =>
            at(index.with(0, index.at(-1) as number).with(-1, index[0] as number)),
          ),
        );
        expect([...permute(turned, turned.shape.map((_, d) => d).reverse()).values()].toSorted()).toEqual(
          all.toSorted(),
        );
      }),
      { numRuns: 80 },
    );
  });

  it("parts are joined and cut", () => {
    const drawn = withDim(["int32"]);
    fc.assert(
      fc.property(drawn, ({ drawn: { tensor }, dim }) => {
        const both = concatenate([tensor, tensor], dim);
        const size = tensor.shape[dim] as number;
        expect([...narrow(both, dim, size, size).values()]).toEqual([...tensor.values()]);
      }),
      { numRuns: 40 },
    );
    const square = reshape(tensorValues([1, 2, 3, 4, 5, 6, 7, 8, 9], "int32"), [3, 3]);
    expect([...triangle(square, 0, "lower").values()]).toEqual([1, 0, 0, 4, 5, 0, 7, 8, 9]);
    expect([...triangle(square, 1, "upper").values()]).toEqual([0, 2, 3, 0, 0, 6, 0, 0, 0]);
  });
});
