/** Random plans of cuFFT, as lines for test-programs/fft-descriptors.cu. */
import fc from "fast-check";

/** Lengths of every kind: powers, mixed radices, primes below and above what has a radix of its own. */
const length = fc.oneof(
  fc.integer({ min: 1, max: 40 }),
  fc.constantFrom(48, 49, 60, 61, 64, 67, 77, 81, 96, 100, 101, 121, 125, 128, 130, 143, 169, 210, 211, 256, 257),
  fc.constantFrom(320, 343, 360, 500, 509, 512, 625, 720, 729, 1000, 1024),
);
const rank = fc.oneof(
  fc.tuple(length),
  fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 40 })),
  fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 14 })),
);

export const fftDescriptors: fc.Arbitrary<string> = fc
  .record({
    type: fc.constantFrom("C2C", "R2C", "C2R", "Z2Z", "D2Z", "Z2D"),
    n: rank,
    batch: fc.constantFrom(1, 2, 3, 5, 33),
    hasLayouts: fc.boolean(),
    extra: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 8, maxLength: 8 }),
    stride: fc.tuple(fc.constantFrom(1, 1, 2, 3), fc.constantFrom(1, 1, 2, 3)),
    isBatchInside: fc.boolean(),
    isBack: fc.boolean(),
    isInPlace: fc.boolean(),
  })
  .map(({ type, n, batch: wanted, hasLayouts, extra, stride, isBatchInside, isBack, isInPlace }) => {
    const total = n.reduce((product, count) => product * count, 1);
    // The sums of the reference take the square of the length.
    const batch = total > 300 ? Math.min(wanted, 3) : wanted;
    const isReal = (input: boolean): boolean => /[RD]/.test(type[input ? 0 : 2] as string);
    const side = (input: boolean): { embed: number[]; stride: number; dist: number } => {
      const isHalf = !isReal(input) && isReal(!input);
      const embed = n.map(
        (count, i) => (i === n.length - 1 && isHalf ? Math.floor(count / 2) + 1 : count) + (extra[i] as number),
      );
      const size = embed.reduce((product, count) => product * count, 1);
      const step = stride[input ? 0 : 1];
      // The elements of a batch lie side by side, or one transform after the other.
      if (isBatchInside) return { embed, stride: step * batch, dist: step };
      return { embed, stride: step, dist: size * step + (extra[3] as number) };
    };
    const isPlain = type === "C2C" || type === "Z2Z";
    const input = side(true);
    const output = isInPlace && isPlain ? input : side(false);
    const three = (list: readonly number[]): number[] => [...list, 1, 1].slice(0, 3);
    const isPlaceKept = isInPlace && (isPlain || !hasLayouts);
    return [
      type,
      n.length,
      ...three(n),
      batch,
      Number(hasLayouts),
      ...three(input.embed),
      input.stride,
      input.dist,
      ...three(output.embed),
      output.stride,
      output.dist,
      isBack ? 1 : -1,
      Number(isPlaceKept),
    ].join(" ");
  });

/** Transforms of 2^k and 3 · 2^k that lie one behind the other: lengths that have a kernel of their own. */
export const wholeRows: readonly string[] = [64, 128, 256, 512, 1024, 2048, 4096, 192, 384, 768, 1536, 3072].flatMap(
  (n, i) =>
    (n > 2048 ? ["C2C"] : ["C2C", "Z2Z"]).flatMap((type, j) => {
      const batch = n <= 384 ? [8, 3] : [1];
      const place = Number((i + j) % 2 === 0);
      return batch.map((count, k) => `${type} 1 ${n} 1 1 ${count} 0 0 0 0 0 0 0 0 0 0 0 ${k === j ? 1 : -1} ${place}`);
    }),
);

/**
 * Transforms of mixed radices that lie one behind the other, in turns with room between them: together these lengths
 * take each pass of libraries/fft/mixed.cuh. Arrays of real numbers begin at an odd place now and then.
 */
export const mixedRows: readonly string[] = [
  200, 225, 245, 250, 280, 288, 294, 315, 320, 324, 336, 350, 384, 405, 420, 486, 686, 960, 1000, 1458, 2304,
].flatMap((n, i) => {
  const types = n > 700 ? ["C2C", "Z2Z"] : ["C2C", ["Z2Z", "R2C", "C2R", "D2Z", "Z2D"][i % 5] as string];
  return types.map((type, j) => {
    const isReal = /[RD]/.test(type);
    const whole = isReal ? 2 * n : n;
    const hasRoom = (i + j) % 3 === 1;
    const side = (isSpectrum: boolean): number[] => {
      if (!hasRoom) return [0, 0, 0, 0, 0];
      return [whole, 0, 0, 1, isSpectrum ? n + 3 : whole + 4];
    };
    const layouts = [...side(/[CZ]2[RD]/.test(type)), ...side(/[RD]2/.test(type))];
    const direction = (i >> 1) % 2 === j ? 1 : -1;
    // In place; with layouts only if both sides have the same one.
    const realTarget = hasRoom ? 2 * (i % 2) : i % 3;
    const target = isReal ? realTarget : (i + j) % 2;
    return [type, 1, whole, 1, 1, 1 + (i % 3), Number(hasRoom), ...layouts, direction, target].join(" ");
  });
});
