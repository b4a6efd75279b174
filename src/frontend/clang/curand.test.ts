/**
 * Random numbers in kernels against an H200's: the integers and uniform numbers to the bit, normal numbers in their
 * leading digits.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Gpu, GpuProgram } from "../../index.ts";
import { compile, openDevice } from "../../index.ts";

const SOURCE = `
#include <curand_kernel.h>
template <class State>
__global__ void draw(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                     unsigned* bits, double* numbers) {
  State s;
  curand_init(seed, sequence, offset, &s);
  for (int i = 0; i < 5; i++) bits[i] = curand(&s);
  bits[5] = __float_as_uint(curand_uniform(&s));
  numbers[0] = curand_uniform_double(&s);
  skipahead(1000ull, &s);
  bits[6] = curand(&s);
  skipahead_sequence(3ull, &s);
  bits[7] = curand(&s);
  numbers[1] = curand_normal(&s);
  numbers[2] = curand_normal(&s);
  numbers[3] = curand_normal_double(&s);
  numbers[4] = curand_normal_double(&s);
  bits[8] = curand(&s);
}
__global__ void poisson(unsigned* out) {
  curandState s;
  curand_init(1, threadIdx.x, 0, &s);
  unsigned sum = 0;
  for (int i = 0; i < 200; i++) sum += curand_poisson(&s, threadIdx.x < 16 ? 4.0 : 50.0);
  out[threadIdx.x] = sum;
}
`;

interface Drawn {
  readonly state: string;
  readonly start: readonly [bigint, bigint, bigint];
  readonly bits: readonly number[];
  readonly uniform: number;
  readonly normals: readonly number[];
}
const FROM_A_GPU: readonly Drawn[] = [
  {
    state: "curandStateXORWOW",
    start: [0n, 0n, 0n],
    bits: [3179217846, 1883133293, 2220552389, 674260989, 306521119, 1055706598, 2551773157, 3180930423, 2959126867],
    uniform: 0.32935856264397007,
    normals: [0.544, 0.599, -0.004614, 0.498754],
  },
  {
    state: "curandStateXORWOW",
    start: [1234n, 5n, 77n],
    bits: [3659660669, 4041201276, 350024801, 2003696552, 539487356, 1063601997, 2094873934, 2068402484, 1052988282],
    uniform: 0.1969494941393231,
    normals: [0.966, 0.66, -0.709212, 0.669931],
  },
  {
    state: "curandStateXORWOW",
    start: [0x123456789abcdefn, 123456789n, 1n << 33n],
    bits: [586419924, 3529138059, 2662209336, 2915507565, 1041590977, 1060857832, 391803506, 3907086008, 357647077],
    uniform: 0.30873619739436436,
    normals: [1.071, 0.76, 0.053217, 1.052701],
  },
  {
    state: "curandStatePhilox4_32_10",
    start: [0n, 0n, 0n],
    bits: [1713891541, 3781805453, 3159862348, 2600524760, 4175744164, 1052337154, 1721865298, 2342794789, 1555983329],
    uniform: 0.6939309192821383,
    normals: [-0.361, 1.068, 0.200223, 0.633013],
  },
  {
    state: "curandStatePhilox4_32_10",
    start: [1234n, 5n, 77n],
    bits: [510984336, 3799675233, 3045005216, 1258026846, 2616948611, 1045851440, 3839301224, 3984617698, 4086069901],
    uniform: 0.5476212850771844,
    normals: [-0.216, 0.2, -1.377813, 1.023721],
  },
  {
    state: "curandStatePhilox4_32_10",
    start: [0x123456789abcdefn, 123456789n, (1n << 35n) + 3n],
    bits: [1971088399, 3499168618, 1524946360, 4271433632, 1406631903, 1009511839, 3049988961, 1440217034, 2544298510],
    uniform: 0.6113761044107378,
    normals: [-0.206, -0.717, 0.01876, 0.65942],
  },
  {
    state: "curandStateMRG32k3a",
    start: [0n, 0n, 0n],
    bits: [545508615, 1368065476, 1327943825, 3546985268, 951893240, 1057524890, 3326665588, 1998249724, 3410616206],
    uniform: 0.48077420342755706,
    normals: [-0.004, 1.228, 0.50554, -0.178817],
  },
  {
    state: "curandStateMRG32k3a",
    start: [1234n, 5n, 77n],
    bits: [1494619616, 3410980770, 4018043921, 3157995932, 790649607, 1057434609, 3133703499, 1206939802, 962100150],
    uniform: 0.31925475102016776,
    normals: [1.137, 1.148, -0.489323, -1.587501],
  },
  {
    state: "curandStateMRG32k3a",
    start: [0x123456789abcdefn, 123456789n, 1n << 33n],
    bits: [2514149754, 2773121320, 854393112, 2441450841, 2097318929, 1052870677, 1611576914, 1444968188, 2848486667],
    uniform: 0.021614275760339488,
    normals: [1.231, 0.975, 0.659549, 0.030711],
  },
];

describe("curand_kernel.h", () => {
  let device: Gpu;
  let program: GpuProgram;
  beforeAll(async () => {
    device = await openDevice({ workers: 1 });
    program = await compile(SOURCE, { device, path: "curand.cu" });
  });
  afterAll(() => device.close());

  it.each(FROM_A_GPU)(
    "$state from $start draws what an H200 draws",
    async ({ state, start, bits, uniform, normals }) => {
      const integers = device.array(9, "uint32");
      const numbers = device.array(5, "float64");
      await (await program.kernel(`draw<${state}>`)).launch({ grid: 1, block: 1 }, ...start, integers, numbers);
      expect([...(await integers.read())]).toEqual(bits);
      const [first, ...rest] = await numbers.read();
      expect(first).toBe(uniform);
      rest.forEach((value, i) =>
        expect(Math.abs(value - (normals[i] as number))).toBeLessThan(i < 2 ? 1.1e-3 : 1.1e-6),
      );
    },
  );

  it("draws Poisson numbers with their mean", async () => {
    const sums = device.array(32, "uint32");
    await (await program.kernel("poisson")).launch({ grid: 1, block: 32 }, sums);
    const values = [...(await sums.read())];
    const mean = (part: number[]): number => part.reduce((a, b) => a + b, 0) / part.length / 200;
    expect(Math.abs(mean(values.slice(0, 16)) - 4)).toBeLessThan(0.15);
    expect(Math.abs(mean(values.slice(16)) - 50)).toBeLessThan(0.5);
  });
});
