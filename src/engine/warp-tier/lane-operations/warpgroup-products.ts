/**
 * Products of warpgroups (wgmma), out of line: one function for each form, on accumulators in scratch memory.
 *
 * The meaning is libdevice/wgmma.cu's, to the bit: products and sums in order of k, each rounded. Lane 4 g + t holds
 * rows g and g + 8 of the warp's 16, columns 8 j + 2 t and 8 j + 2 t + 1. So a slice has one row of A in all lanes, and
 * vectors of B have the even or the odd columns of eight, for one k. Both are laid out in memory first: A once for the
 * product, B for each eight columns. Of floats of 8 bits exponents lie behind the elements (warpgroup-cut-sums.ts).
 */
import { USER_BASE } from "../../../machine/memory-map.ts";
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import type { ModuleBuilder } from "../../../wasm/module-builder.ts";
import type { FunctionRef } from "../../../wasm/types.ts";
import { SLICES } from "../../../analysis/lane-addresses/lane-shape.ts";
import type { WarpgroupElement, WarpgroupShape } from "../planning/warpgroup-products.ts";
import type { FloatHelpers } from "./float-helpers.ts";
import { emitCutSums, isCut, takeExponents, type EmitPair } from "./warpgroup-cut-sums.ts";
import { ELEMENTS_OF_WORD, takeElement } from "./warpgroup-elements.ts";
import { emitDescriptor, pushChunk, type Descriptor } from "./warpgroup-descriptors.ts";
import {
  A_REGISTERS,
  COLUMNS,
  REGISTER_BYTES,
  ROWS,
  SUMS,
  TO_EXPONENTS,
  VECTOR_BYTES,
  WORDS,
} from "./warpgroup-layout.ts";

/** Parameters of a product's function. */
const DESCRIPTOR_A: Local = 0;
const DESCRIPTOR_B: Local = 1;
const KEEPS: Local = 2;
const WARP: Local = 3;
const SITE: Local = 4;

export interface WarpgroupModule {
  readonly module: ModuleBuilder;
  readonly scratch: number;
  /** The address of the block's shared memory, and the bytes from USER_BASE on that may be accessed: globals. */
  readonly shared: number;
  readonly limitBytes: number;
  readonly helpers: FloatHelpers;
  readonly addressFault: FunctionRef;
}

export class WarpgroupProducts {
  readonly #context: WarpgroupModule;
  readonly #made = new Map<string, FunctionBuilder>();

  constructor(context: WarpgroupModule) {
    this.#context = context;
  }

  /** (descriptor of A, descriptor of B, keeps sums, warp, site) → (): results replace the accumulators. */
  product(name: string, shape: WarpgroupShape): FunctionBuilder {
    let code = this.#made.get(name);
    if (code === undefined) {
      code = this.#context.module.function(name, ["i64", "i64", "i32", "i32", "i32"], []);
      this.#made.set(name, code);
      new ProductEmitter(this.#context, code, shape).emit();
    }
    return code;
  }
}

class ProductEmitter {
  readonly #context: WarpgroupModule;
  readonly #code: FunctionBuilder;
  readonly #shape: WarpgroupShape;
  readonly #parts: number;

  constructor(context: WarpgroupModule, code: FunctionBuilder, shape: WarpgroupShape) {
    this.#context = context;
    this.#code = code;
    this.#shape = shape;
    this.#parts = ELEMENTS_OF_WORD[shape.a];
  }

  emit(): void {
    const code = this.#code;
    const { columns, aInRegisters, transposesA, transposesB } = this.#shape;
    if (aInRegisters) this.#placeRegisters();
    else {
      const a = this.#descriptor(DESCRIPTOR_A);
      if (transposesA) this.#placeTransposedRows(a);
      else this.#placeRows(a);
    }
    const b = this.#descriptor(DESCRIPTOR_B);
    const j = code.local("i32");
    code.i32Const(0).localSet(j);
    const next = code.loop();
    if (transposesB) this.#placeTransposedColumns(b, j);
    else this.#placeColumns(b, j);
    this.#multiply(j);
    code
      .localGet(j)
      .i32Const(1)
      .i32Add()
      .localTee(j)
      .i32Const(columns / 8)
      .i32LtU()
      .brIf(next);
    code.end(next);
  }

  #descriptor(bits: Local): Descriptor {
    const { shared, limitBytes, addressFault } = this.#context;
    return emitDescriptor(this.#code, bits, { shared, limitBytes, addressFault, site: SITE, base: USER_BASE });
  }

  // -------------------------------------------------------------- A: floats or integers, [row][part][word]

  #rowOffset(row: number, part: number, word: number): number {
    return ROWS + ((row * this.#parts + part) * WORDS + word) * 4;
  }

  /** Register 2 h + (row ≥ 8) of the four lanes of slice g is half h of row g. */
  #placeRegisters(): void {
    for (let register = 0; register < 4; register++) {
      for (let g = 0; g < SLICES; g++) {
        const row = 8 * (register & 1) + g;
        this.#placeHalfRow(row, register >> 1, () =>
          this.#code
            .globalGet(this.#context.scratch)
            .v128Load(A_REGISTERS + register * REGISTER_BYTES + g * VECTOR_BYTES),
        );
      }
    }
  }

  #placeRows(a: Descriptor): void {
    const code = this.#code;
    const eights = code.local("i32");
    for (let row = 0; row < 16; row++) {
      if (row % 8 === 0) this.#setRowGroup(eights, row);
      for (const half of [0, 1])
        this.#placeHalfRow(row, half, () => pushChunk(code, a, { eights, within: row % 8, half }));
    }
    code.free(eights);
  }

  /** The number of a group of eight rows of the warpgroup's 64. */
  #setRowGroup(local: Local, row: number): void {
    this.#code
      .localGet(WARP)
      .i32Const(3)
      .i32And()
      .i32Const(1)
      .i32Shl()
      .i32Const(row >> 3)
      .i32Add()
      .localSet(local);
  }

  #placeHalfRow(row: number, half: number, push: () => void): void {
    const code = this.#code;
    const chunk = code.local("v128");
    push();
    code.localSet(chunk);
    this.#place(chunk, this.#shape.a, this.#shape.negatesA, (part) => this.#rowOffset(row, part, 4 * half));
    code.free(chunk);
  }

  /** 16-bit elements whose rows are contiguous: a chunk has eight rows of one k. */
  #placeTransposedRows(a: Descriptor): void {
    const code = this.#code;
    const eights = code.local("i32");
    const values = code.local("v128");
    for (const upper of [0, 1]) {
      this.#setRowGroup(eights, 8 * upper);
      for (let k = 0; k < 16; k++) {
        const chunk = code.local("v128");
        pushChunk(code, a, { eights, within: k, half: "across" });
        code.localSet(chunk);
        for (const odd of [0, 1]) {
          code.localGet(chunk);
          this.#take(this.#shape.a, odd, this.#shape.negatesA);
          code.localSet(values);
          for (let n = 0; n < 4; n++) {
            code.globalGet(this.#context.scratch).localGet(values).f32x4ExtractLane(n);
            code.f32Store(this.#rowOffset(8 * upper + 2 * n + odd, k % 2, k >> 1));
          }
        }
        code.free(chunk);
      }
    }
    code.free(eights, values);
  }

  // -------------------------------------------------------------- B: [word][part][odd columns], four columns each

  #columnOffset(word: number, part: number, odd: number): number {
    return COLUMNS + ((word * this.#parts + part) * 2 + odd) * VECTOR_BYTES;
  }

  #placeColumns(b: Descriptor, j: Local): void {
    const code = this.#code;
    const columns = [0, 1, 2, 3].map(() => code.local("v128"));
    const pairs = [0, 1, 2, 3].map(() => code.local("v128"));
    const [low01, high01, low23, high23] = pairs as [Local, Local, Local, Local];
    const [c0, c1, c2, c3] = columns as [Local, Local, Local, Local];
    const word = code.local("v128");
    for (const half of [0, 1]) {
      for (const odd of [0, 1]) {
        columns.forEach((local, n) => {
          pushChunk(code, b, { eights: j, within: 2 * n + odd, half });
          code.localSet(local);
        });
        code.localGet(c0).localGet(c1).i32x4Shuffle(0, 4, 1, 5).localSet(low01);
        code.localGet(c0).localGet(c1).i32x4Shuffle(2, 6, 3, 7).localSet(high01);
        code.localGet(c2).localGet(c3).i32x4Shuffle(0, 4, 1, 5).localSet(low23);
        code.localGet(c2).localGet(c3).i32x4Shuffle(2, 6, 3, 7).localSet(high23);
        for (let n = 0; n < 4; n++) {
          code.localGet(n < 2 ? low01 : high01).localGet(n < 2 ? low23 : high23);
          if (n % 2 === 0) code.i32x4Shuffle(0, 1, 4, 5);
          else code.i32x4Shuffle(2, 3, 6, 7);
          code.localSet(word);
          this.#place(word, this.#shape.b, this.#shape.negatesB, (part) => this.#columnOffset(4 * half + n, part, odd));
        }
      }
    }
    code.free(word, ...columns, ...pairs);
  }

  /** 16-bit elements whose columns are contiguous: a chunk has all eight of one k. */
  #placeTransposedColumns(b: Descriptor, j: Local): void {
    const code = this.#code;
    const chunk = code.local("v128");
    for (let k = 0; k < 16; k++) {
      pushChunk(code, b, { eights: j, within: k, half: "across" });
      code.localSet(chunk);
      for (const odd of [0, 1]) {
        code.globalGet(this.#context.scratch).localGet(chunk);
        this.#take(this.#shape.b, odd, this.#shape.negatesB);
        code.v128Store(this.#columnOffset(k >> 1, k % 2, odd));
      }
    }
    code.free(chunk);
  }

  /** All elements of words, and behind the first ones their exponents where sums need them. */
  #place(words: Local, element: WarpgroupElement, negates: boolean, offset: (part: number) => number): void {
    const code = this.#code;
    for (let part = 0; part < this.#parts; part++) {
      code.globalGet(this.#context.scratch).localGet(words);
      this.#take(element, part, negates);
      code.v128Store(offset(part));
    }
    if (!isCut(element)) return;
    code.globalGet(this.#context.scratch);
    takeExponents(code, words, element);
    code.v128Store(offset(0) + TO_EXPONENTS);
  }

  #take(element: WarpgroupElement, part: number, negates: boolean): void {
    takeElement(this.#code, this.#context.helpers, element, part);
    if (negates) this.#code.f32x4Neg();
  }

  // -------------------------------------------------------------- products

  /** All slices of eight columns. */
  #multiply(j: Local): void {
    const code = this.#code;
    const { sum } = this.#shape;
    const { scratch } = this.#context;
    const registers = sum === "f16" ? 2 : 4;
    const sums = code.local("i32"); // the accumulators of slice g
    const rows = code.local("i32"); // row g of A
    const end = code.local("i32");
    code.globalGet(scratch).localTee(rows);
    code
      .localGet(j)
      .i32Const(registers * REGISTER_BYTES)
      .i32Mul()
      .i32Add()
      .localTee(sums);
    code.i32Const(REGISTER_BYTES).i32Add().localSet(end);
    const next = code.loop();
    const totals = [0, 1, 2, 3].map((n) => this.#startSum(sums, n));
    const factors = (emit: EmitPair): void => this.#eachPair(rows, this.#parts, 0, totals, emit);
    if (isCut(this.#shape.a)) {
      const exponents = (emit: EmitPair): void => this.#eachPair(rows, 1, TO_EXPONENTS, totals, emit);
      emitCutSums(code, totals, sum === "f16", { factors, exponents });
    } else
      factors((total, pushPair) => {
        code.localGet(total);
        pushPair();
        if (sum === "s32") code.i32x4Mul().i32x4Add();
        else code.f32x4Mul().f32x4Add();
        code.localSet(total);
      });
    this.#storeSums(sums, totals);
    code
      .localGet(rows)
      .i32Const(this.#parts * WORDS * 4)
      .i32Add()
      .localSet(rows);
    code.localGet(sums).i32Const(VECTOR_BYTES).i32Add().localTee(sums).localGet(end).i32Ne().brIf(next);
    code.end(next);
    code.free(sums, rows, end, ...totals);
  }

  /**
   * In order of k, for each of the totals: rows g and g + 8, the even and the odd columns.
   * @param parts of a word; they lie `offset` behind the elements
   * @param emit has a function that leaves A's and B's on the stack
   */
  #eachPair(rows: Local, parts: number, offset: number, totals: readonly Local[], emit: EmitPair): void {
    const code = this.#code;
    const one = [code.local("v128"), code.local("v128")];
    for (let word = 0; word < WORDS; word++) {
      for (let part = 0; part < parts; part++) {
        one.forEach((local, upper) =>
          code
            .localGet(rows)
            .v128Load32Splat(offset + this.#rowOffset(8 * upper, part, word))
            .localSet(local),
        );
        totals.forEach((total, n) =>
          emit(total, () =>
            code
              .localGet(one[n >> 1]!)
              .globalGet(this.#context.scratch)
              .v128Load(offset + this.#columnOffset(word, part, n & 1)),
          ),
        );
      }
    }
    code.free(...one);
  }

  #startSum(place: Local, n: number): Local {
    const code = this.#code;
    const local = code.local("v128");
    code.i32x4Const(0, 0, 0, 0).localSet(local);
    code.localGet(KEEPS).if();
    if (this.#shape.sum === "f16") {
      code.localGet(place).v128Load(SUMS + (n >> 1) * REGISTER_BYTES);
      this.#take("f16", n & 1, false);
    } else code.localGet(place).v128Load(SUMS + n * REGISTER_BYTES);
    code.localSet(local);
    code.end();
    return local;
  }

  #storeSums(place: Local, totals: readonly Local[]): void {
    const code = this.#code;
    if (this.#shape.sum !== "f16") {
      totals.forEach((total, n) =>
        code
          .localGet(place)
          .localGet(total)
          .v128Store(SUMS + n * REGISTER_BYTES),
      );
      return;
    }
    const { helpers } = this.#context;
    for (const n of [0, 1]) {
      code.localGet(place);
      code.localGet(totals[2 * n]!).call(helpers.floatToHalf);
      code
        .localGet(totals[2 * n + 1]!)
        .call(helpers.floatToHalf)
        .i32Const(16)
        .i32x4Shl()
        .v128Or();
      code.v128Store(SUMS + n * REGISTER_BYTES);
    }
  }
}
