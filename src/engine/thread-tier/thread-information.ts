/** Who and where a thread is, and what time it is (PTX ISA, "Special Registers"; `isspacep`). */
import type { Axis, NameFields } from "../../ir/intrinsics/facts.ts";
import { intrinsicOf } from "../../ir/intrinsics/lookup.ts";
import type { CallInstruction } from "../../ir/model/ir.ts";
import { wasmTypeOf } from "../emit/value-types.ts";
import type { FunctionContext } from "./function-context.ts";
import { BLOCK_RECORD, CONTEXT, type LaunchGlobal } from "./layout.ts";

/** Reads of special registers and the like. False when `name` is none. */
export function emitThreadInformation(compiler: FunctionContext, call: CallInstruction, name: string): boolean {
  const facts = intrinsicOf(name);
  if (facts === null || facts.kind !== "thread") return false;
  const reader = new ThreadReader(compiler);
  if (facts.spaceTest !== null) reader.testSpace(facts.spaceTest, () => compiler.get(call.args[0] ?? call));
  else if (facts.register !== null) {
    const read = REGISTERS[facts.register.register];
    if (read === undefined) return false;
    read(reader, facts.register.axis ?? "x");
  } else if (facts.readsClock) reader.clock();
  else {
    // is_explicit_cluster
    reader.clusterBlocks();
    compiler.code.i32Const(1).i32GtU();
  }
  const isWindow = facts.register !== null && /window$/.test(facts.register.register);
  if (isWindow && wasmTypeOf(call.type) === "i64") compiler.code.i64ExtendI32U();
  compiler.set(call);
  return true;
}

/** Leaves one value on the stack. */
type ReadRegister = (reader: ThreadReader, axis: Axis) => void;

const UPPER = { x: "X", y: "Y", z: "Z" } as const;

const blockIndex: ReadRegister = (reader, axis) => reader.blockField(BLOCK_RECORD[`ctaid${UPPER[axis]}`]);
const gridExtent: ReadRegister = (reader, axis) => reader.global(`nctaid${UPPER[axis]}`);
const clusterExtent: ReadRegister = (reader, axis) => reader.global(`cluster${UPPER[axis]}`);
const placeInCluster: ReadRegister = (reader, axis) => {
  blockIndex(reader, axis);
  clusterExtent(reader, axis);
  reader.compiler.code.i32RemU();
};
const constant =
  (value: number): ReadRegister =>
  (reader) =>
    reader.constant(value);
/** base shifted left by the lane's number, less one where `minusOne`. */
const laneMask =
  (base: number, minusOne: boolean): ReadRegister =>
  (reader) => {
    const { code } = reader.compiler;
    code.i32Const(base);
    reader.field(CONTEXT.lane);
    code.i32Shl();
    if (minusOne) code.i32Const(1).i32Sub();
  };
const clockLow: ReadRegister = (reader) => {
  reader.clock();
  reader.compiler.code.i32WrapI64();
};
const clock: ReadRegister = (reader) => reader.clock();

const REGISTERS: Readonly<Record<string, ReadRegister>> = {
  tid: (reader, axis) => reader.field(CONTEXT[`tid${UPPER[axis]}`]),
  ntid: (reader, axis) => reader.global(`ntid${UPPER[axis]}`),
  ctaid: blockIndex,
  nctaid: gridExtent,
  clusterid: (reader, axis) => {
    blockIndex(reader, axis);
    clusterExtent(reader, axis);
    reader.compiler.code.i32DivU();
  },
  nclusterid: (reader, axis) => {
    gridExtent(reader, axis);
    clusterExtent(reader, axis);
    reader.compiler.code.i32DivU();
  },
  "cluster.ctaid": placeInCluster,
  "cluster.nctaid": clusterExtent,
  // x + X (y + Y z)
  "cluster.ctarank": (reader) => {
    placeInCluster(reader, "x");
    clusterExtent(reader, "x");
    placeInCluster(reader, "y");
    clusterExtent(reader, "y");
    placeInCluster(reader, "z");
    reader.compiler.code.i32Mul().i32Add().i32Mul().i32Add();
  },
  "cluster.nctarank": (reader) => reader.clusterBlocks(),
  "shared.window": (reader) => reader.blockField(BLOCK_RECORD.sharedBase),
  "cluster.window": (reader) => reader.blockField(BLOCK_RECORD.clusterBase),
  "cluster.stride": (reader) => reader.global("clusterStride"),
  laneid: (reader) => reader.field(CONTEXT.lane),
  warpid: (reader) => reader.field(CONTEXT.warp),
  nwarpid: (reader) => {
    reader.global("ntidX");
    reader.global("ntidY");
    reader.global("ntidZ");
    reader.compiler.code.i32Mul().i32Mul().i32Const(31).i32Add().i32Const(5).i32ShrU();
  },
  warpsize: constant(32),
  "lanemask.eq": laneMask(1, false),
  "lanemask.lt": laneMask(1, true),
  "lanemask.le": laneMask(2, true),
  "lanemask.ge": laneMask(-1, false),
  "lanemask.gt": laneMask(-2, false),
  smid: constant(0),
  nsmid: constant(1),
  gridid: constant(0),
  clock: clockLow,
  "globaltimer.lo": clockLow,
  "clock.hi": (reader) => {
    reader.clock();
    reader.compiler.code.i64Const(32n).i64ShrU().i32WrapI64();
  },
  clock64: clock,
  globaltimer: clock,
};

class ThreadReader {
  readonly compiler: FunctionContext;

  constructor(compiler: FunctionContext) {
    this.compiler = compiler;
  }

  /** A word of the thread's context. */
  field(offset: number): void {
    this.compiler.code.localGet(this.compiler.context).i32Load(offset);
  }

  /** A word of the block's record. */
  blockField(offset: number): void {
    this.field(CONTEXT.block);
    this.compiler.code.i32Load(offset);
  }

  global(which: LaunchGlobal): void {
    this.compiler.code.globalGet(this.compiler.program.launchGlobals[which]);
  }

  clusterBlocks(): void {
    this.global("clusterX");
    this.global("clusterY");
    this.global("clusterZ");
    this.compiler.code.i32Mul().i32Mul();
  }

  clock(): void {
    this.compiler.code.call(this.compiler.program.host.clock);
  }

  constant(value: number): void {
    this.compiler.code.i32Const(value);
  }

  testSpace(space: NameFields["spaceTest"], pushPointer: () => void): void {
    const { code, program } = this.compiler;
    const type = program.addressType;
    switch (space) {
      case "shared":
        pushPointer();
        this.#offsetInShared();
        code.op(`${type}LtU`);
        return;
      case "local":
        pushPointer();
        this.#offsetInLocal();
        code.op(`${type}LtU`);
        return;
      case "global":
        pushPointer();
        this.#offsetInShared();
        code.op(`${type}GeU`);
        pushPointer();
        this.#offsetInLocal();
        code.op(`${type}GeU`).i32And();
        return;
      // Constants lie in global memory: the space of a pointer to them is global.
      default:
        code.i32Const(0);
    }
  }

  /** Leaves the distance of a pointer from the block's shared memory, and its size. */
  #offsetInShared(): void {
    this.blockField(BLOCK_RECORD.sharedBase);
    this.#subtract();
    this.global("sharedBytes");
    this.#extend();
  }

  /** The local windows of all threads of the block lie side by side. */
  #offsetInLocal(): void {
    this.blockField(BLOCK_RECORD.localBase);
    this.#subtract();
    this.blockField(BLOCK_RECORD.localBytes);
    this.#extend();
  }

  /** To the width of the program's pointers. */
  #extend(): void {
    if (this.compiler.program.addressType === "i64") this.compiler.code.i64ExtendI32U();
  }

  #subtract(): void {
    this.#extend();
    this.compiler.code.op(`${this.compiler.program.addressType}Sub`);
  }
}
