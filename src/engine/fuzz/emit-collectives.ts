/** Writes the statements in which threads act together: warp collectives, and exchanges through shared memory. */
import { BYTES, IrWriter, type Edge, type Env } from "./ir-writer.ts";
import { SHARED_CELLS, type Statement } from "./program.ts";

/** Where statements are being written. */
export interface Context {
  env: Env;
  /** The threads that are here, as an i32 operand. */
  mask: string;
  /** What leaves the innermost loop's body early: the block it leaves from and the values there. */
  leaving: Edge[];
}

export class CollectiveWriter extends IrWriter {
  /** No warp has a lane without a thread, or one that exits early. */
  readonly #allLanesStay: boolean;

  constructor(allLanesStay: boolean) {
    super();
    this.#allLanesStay = allLanesStay;
  }

  collective(s: Statement & { kind: "collective" }, context: Context): void {
    const args = s.args.map((arg) => ({ ty: arg.ty as string, value: this.visible(arg, context.env) }));
    const mask = { ty: "i32", value: context.mask };
    const name = `llvm.nvvm.${s.op}`;
    if (s.op === "bar.warp.sync") return void this.call("void", name, [mask]);
    if (s.op.startsWith("redux")) return void context.env.set(s.id, this.call("i32", name, [...args, mask]));
    if (s.op === "match.all.sync.i32p") {
      const pair = this.call("{ i32, i1 }", name, [mask, ...args]);
      return void context.env.set(s.id, this.value(`extractvalue { i32, i1 } ${pair}, 0`));
    }
    if (s.op.startsWith("shfl")) return void context.env.set(s.id, this.#shuffle(s.op, args, context));
    const i1 = /vote\.(any|all|uni)/.test(s.op);
    const result = this.call(i1 ? "i1" : "i32", name, [mask, ...args]);
    context.env.set(s.id, i1 ? this.value(`zext i1 ${result} to i32`) : result);
  }

  /**
   * The value from a lane that takes no part is undefined. Where a source lane may take no part, the program must not
   * use it.
   */
  #shuffle(op: string, args: readonly { ty: string; value: string }[], context: Context): string {
    const [value, offset, control] = args as [{ ty: string; value: string }, { value: string }, { value: string }];
    const { ty } = value;
    const result = this.call(ty, `llvm.nvvm.${op}`, [{ ty: "i32", value: context.mask }, ...args]);
    if (context.mask === "-1" && this.#allLanesStay) return result;
    // PTX ISA 9.7.9.6: the lane read from, or one's own where it lies outside the segment.
    const lane = this.special("lane");
    const segment = (Number(control.value) >> 8) & 31;
    const by = this.value(`and i32 ${offset.value}, 31`);
    const first = this.value(`and i32 ${lane}, ${segment}`);
    const last = this.value(`or i32 ${first}, ${31 & ~segment}`);
    const mode = op.split(".")[2] as string;
    const operator = { up: "sub", down: "add", bfly: "xor" }[mode];
    const source =
      operator === undefined
        ? this.value(`or i32 ${first}, ${this.value(`and i32 ${by}, ${31 & ~segment}`)}`)
        : this.value(`${operator} i32 ${lane}, ${by}`);
    const valid = this.value(mode === "up" ? `icmp sge i32 ${source}, ${first}` : `icmp sle i32 ${source}, ${last}`);
    const from = this.value(`select i1 ${valid}, i32 ${source}, i32 ${lane}`);
    const partners = this.ballot(context.mask, "true");
    const takesPart = this.value(`trunc i32 ${this.value(`lshr i32 ${partners}, ${from}`)} to i1`);
    return this.value(`select i1 ${takesPart}, ${ty} ${result}, ${ty} ${value.value}`);
  }

  /** Write one's own slot, wait, read any slot, wait. */
  exchange(s: Statement & { kind: "exchange" }, context: Context): void {
    const { ty } = s.value;
    const value = this.visible(s.value, context.env);
    this.emit(`store ${ty} ${value}, ptr addrspace(3) ${this.sharedSlot(this.special("tid"))}, align ${BYTES[ty]}`);
    this.barrier();
    const index = this.value(`urem i32 ${this.expr(s.index, context.env)}, ${this.special("ntid")}`);
    const loaded = this.value(`load ${ty}, ptr addrspace(3) ${this.sharedSlot(index)}, align ${BYTES[ty]}`);
    this.barrier();
    context.env.set(s.id, loaded);
  }

  sharedAtomic(s: Statement & { kind: "shared-atomic" }, context: Context): void {
    const cell = (index: string): string =>
      this.value(
        `getelementptr i32, ptr addrspace(3) @cells, i32 ${this.value(`and i32 ${index}, ${SHARED_CELLS - 1}`)}`,
      );
    this.emit(`store i32 ${s.start}, ptr addrspace(3) ${cell(this.special("tid"))}, align 4`);
    this.barrier();
    const value = this.expr(s.value, context.env);
    this.value(
      `atomicrmw ${s.op} ptr addrspace(3) ${cell(this.expr(s.index, context.env))}, i32 ${value} monotonic, align 4`,
    );
    this.barrier();
    const result = this.value(`load i32, ptr addrspace(3) ${cell(this.expr(s.read, context.env))}, align 4`);
    this.barrier();
    context.env.set(s.id, result);
  }
}
