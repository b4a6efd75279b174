/** Random descriptors of cuSPARSE's functions for blocks, as lines for test-programs/blocks-descriptors.cu. */
import fc from "fast-check";

const OPERATIONS = ["bsrsv2", "bsrsm2", "bsrilu02", "bsric02", "bsrxmv", "csr2gebsr", "gebsr2csr", "gebsr2gebsc"]
  .concat(["Xgebsr2csr", "gebsr2gebsr", "compress", "csru", "color"])
  .concat(["pruned", "prunec", "pruned%", "prunec%"]);

export interface BlocksCase {
  readonly op: string;
  /** 0 float, 1 double, 2 and 3 complex, 4 half. */
  readonly type: number;
  readonly base: number;
  readonly baseC: number;
  /** 0: elements of a block by rows. */
  readonly dir: number;
  readonly trans: number;
  readonly transXY: number;
  /** Block rows and block columns. */
  readonly mb: number;
  readonly nb: number;
  readonly n: number;
  readonly height: number;
  readonly width: number;
  readonly heightC: number;
  readonly widthC: number;
  readonly density: number;
  readonly seed: number;
  readonly fill: number;
  readonly unit: number;
  /** 1: factors and totals lie on the device. */
  readonly device: number;
  readonly percent: number;
  /** 1: a row has no block on the diagonal; 2: an element on the diagonal is zero. */
  readonly zero: number;
  readonly boost: number;
}

const bit = fc.integer({ min: 0, max: 1 });
const side = fc.integer({ min: 1, max: 4 });

export const blocksCases: fc.Arbitrary<BlocksCase> = fc
  .record({
    op: fc.constantFrom(...OPERATIONS),
    type: fc.integer({ min: 0, max: 4 }),
    base: bit,
    baseC: bit,
    dir: bit,
    trans: fc.integer({ min: 0, max: 2 }),
    transXY: bit,
    mb: fc.integer({ min: 1, max: 6 }),
    nb: fc.integer({ min: 1, max: 7 }),
    n: fc.integer({ min: 1, max: 5 }),
    height: side,
    width: side,
    heightC: side,
    widthC: side,
    density: fc.constantFrom(10, 30, 60, 100),
    seed: fc.integer({ min: 1, max: 1_000_000 }),
    fill: bit,
    unit: bit,
    device: bit,
    percent: fc.constantFrom(0, 25, 33, 50, 77, 100),
    zero: fc.constantFrom(0, 0, 0, 1, 2),
    boost: bit,
  })
  .map((c) => {
    const isPruned = c.op.startsWith("prune");
    const isSystem = /^bsr[si]/.test(c.op);
    const isSingle = isPruned || ["compress", "csru", "color"].includes(c.op);
    const isComplex = c.type === 2 || c.type === 3;
    const width = c.op === "bsrxmv" ? Math.max(2, c.height) : c.width;
    const grow = isSingle || c.op === "csr2gebsr" ? 3 : 1;
    // Between rows and blocks of one element NVIDIA's library keeps the index base of A.
    const ofOne = c.op === "csr2gebsr" ? c.heightC * c.widthC === 1 : c.height * c.width === 1;
    return {
      ...c,
      type: (isPruned && isComplex) || (!isPruned && c.type === 4) ? c.type % 2 : c.type,
      trans: c.op === "bsrsv2" ? c.trans % (isComplex ? 3 : 2) : 0,
      mb: c.mb * grow,
      nb: isSystem ? c.mb : c.nb * grow,
      // blocks of one element are not for this function
      height: c.op === "bsrxmv" ? Math.max(2, c.height) : c.height,
      width: isSystem ? c.height : width,
      baseC: ofOne && c.op.includes("gebsr") ? c.base : c.baseC,
      device: c.op === "compress" || c.op === "color" || c.op === "csru" ? 0 : c.device,
      zero: isSystem ? c.zero : 0,
      boost: c.op === "bsrilu02" ? c.boost : 0,
    };
  });

export function lineOf(c: BlocksCase): string {
  return [c.op, c.type, c.base, c.baseC, c.dir, c.trans, c.transXY, c.mb, c.nb, c.n, c.height, c.width, c.heightC]
    .concat([c.widthC, c.density, c.seed, c.fill, c.unit, c.device, c.percent, c.zero, c.boost])
    .join(" ");
}
