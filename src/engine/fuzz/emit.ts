/**
 * Writes a fuzzer's program as LLVM IR text, in SSA form: variables become values and phis.
 *
 * Collectives need the mask of the threads that execute them. Where a branch or loop has a collective, a ballot before
 * it finds the threads of each path, and the code there carries their mask. Loops shrink it from iteration to
 * iteration.
 */
import { CollectiveWriter, type Context } from "./emit-collectives.ts";
import { BYTES, type Edge } from "./ir-writer.ts";
import {
  ACC_CELLS,
  ACC_OPERATIONS,
  LOCAL_WORDS,
  MAX_THREADS,
  SHARED_CELLS,
  SLOT_BYTES,
  SLOTS,
  type DeviceFunction,
  type Expr,
  type Program,
  type Statement,
  type Variable,
} from "./program.ts";
import { needsMask, assigned, usesShared, hasExit } from "./statement-queries.ts";

export function emitProgram(program: Program): string {
  return new Emitter(program).module();
}

/** Stands for the loop's label that breaks and continues go to, until the loop is complete. */
const LEAVING = "@LEAVING@";

/** The mask where nothing needs one. */
const NO_MASK = "";

const EXTRA_PARAMS = "ptr %own, ptr %in, ptr %acc, ptr %loc, i32 %mask, i32 %n";

class Emitter extends CollectiveWriter {
  readonly #program: Program;
  #leaves = false;

  constructor(program: Program) {
    super((program.block[0] * program.block[1]) % 32 === 0 && !hasExit(program.body));
    this.#program = program;
  }

  module(): string {
    const { functions } = this.#program;
    const bodies = [this.#kernel(), ...functions.map((fn, i) => this.#function(fn, i))];
    const names = functions.map((_, i) => `ptr @f${i}`);
    const table =
      functions.length > 0
        ? `@ftab = internal constant [${functions.length} x ptr] [${names.join(", ")}], align 4\n`
        : "";
    const shared = this.#program.dynamicShared
      ? "@sh = external addrspace(3) global [0 x i64], align 8\n"
      : `@sh = internal addrspace(3) global [${MAX_THREADS} x i64] undef, align 8\n`;
    const cells = `@cells = internal addrspace(3) global [${SHARED_CELLS} x i32] undef, align 4\n`;
    const declarations = [...this.declarations.values()].sort().join("\n");
    return `${shared}${cells}${table}\n${bodies.join("\n")}\n${declarations}\n`;
  }

  // -------------------------------------------------------------- functions

  #begin(variables: readonly Variable[]): void {
    this.lines = [];
    this.next = 0;
    this.label = "entry";
    this.types = new Map(variables.map((v) => [v.id, v.ty]));
    this.specials = new Map();
    this.#leaves = false;
    const sreg = (name: string): string => this.call("i32", `llvm.nvvm.read.ptx.sreg.${name}`, []);
    const [tx, ty, nx, ny] = [sreg("tid.x"), sreg("tid.y"), sreg("ntid.x"), sreg("ntid.y")];
    const [bx, by, gx] = [sreg("ctaid.x"), sreg("ctaid.y"), sreg("nctaid.x")];
    const mulAdd = (a: string, b: string, c: string): string =>
      this.value(`add i32 ${this.value(`mul i32 ${a}, ${b}`)}, ${c}`);
    const tid = mulAdd(ty, nx, tx);
    const ntid = this.value(`mul i32 ${nx}, ${ny}`);
    const bid = mulAdd(by, gx, bx);
    this.specials
      .set("tid", tid)
      .set("ntid", ntid)
      .set("bid", bid)
      .set("gtid", mulAdd(bid, ntid, tid))
      .set("lane", sreg("laneid"))
      .set("warp", this.value(`lshr i32 ${tid}, 5`))
      .set("n", "%n");
  }

  #kernel(): string {
    const { variables, body } = this.#program;
    this.#begin(variables);
    this.emit(
      `%own = getelementptr i8, ptr %out, i32 ${this.value(`mul i32 ${this.special("gtid")}, ${SLOTS * SLOT_BYTES}`)}`,
    );
    this.emit(`%loc = alloca [${LOCAL_WORDS} x i32], align 4`);
    for (let k = 0; k < LOCAL_WORDS; k++)
      this.emit(`store i32 ${k * 17}, ptr ${this.element("i32", "%loc", String(k))}, align 4`);
    if (usesShared(body)) {
      this.emit(
        `store i64 ${this.value(`zext i32 ${this.special("tid")} to i64`)}, ` +
          `ptr addrspace(3) ${this.sharedSlot(this.special("tid"))}, align 8`,
      );
      // All threads write the same zeros: there may be fewer threads than cells.
      for (let k = 0; k < SHARED_CELLS; k++)
        this.emit(
          "store i32 0, ptr addrspace(3) " +
            `${this.value(`getelementptr i32, ptr addrspace(3) @cells, i32 ${k}`)}, align 4`,
        );
      this.barrier();
    }
    const context: Context = { env: new Map(), mask: "-1", leaving: [] };
    for (const v of variables) context.env.set(v.id, this.expr(v.init, context.env));
    this.#statements(body, context);
    this.emit(this.#leaves ? "br label %leave" : "ret void");
    if (this.#leaves) this.lines.push("leave:", "  ret void");
    return `define ptx_kernel void @k(ptr %out, ptr %in, ptr %acc, i32 %n) {\nentry:\n${this.lines.join("\n")}\n}\n`;
  }

  #function(fn: DeviceFunction, index: number): string {
    this.#begin([...fn.params, ...fn.variables]);
    const context: Context = { env: new Map(), mask: "%mask", leaving: [] };
    for (const p of fn.params) context.env.set(p.id, `%p${p.id}`);
    for (const v of fn.variables) context.env.set(v.id, this.expr(v.init, context.env));
    this.#statements(fn.body, context);
    const result = this.expr(fn.result, context.env);
    this.emit(`ret ${fn.result.ty} ${result}`);
    const params = [...fn.params.map((p) => `${p.ty} %p${p.id}`), EXTRA_PARAMS].join(", ");
    return `define internal ${fn.result.ty} @f${index}(${params}) noinline {\nentry:\n${this.lines.join("\n")}\n}\n`;
  }

  // -------------------------------------------------------------- statements

  #statements(statements: readonly Statement[], context: Context): void {
    for (const statement of statements) this.#statement(statement, context);
  }

  // oxlint-disable-next-line max-lines-per-function -- one case a statement
  #statement(s: Statement, context: Context): void {
    const e = (expr: Expr): string => this.expr(expr, context.env);
    switch (s.kind) {
      case "assign":
        context.env.set(s.id, e(s.value));
        return;
      case "store-own": {
        const { ty } = s.value;
        const value = this.visible(s.value, context.env);
        this.emit(`store ${ty} ${value}, ptr ${this.ownSlot(s.slot)}, align ${BYTES[ty]}`);
        return;
      }
      case "store-local": {
        const value = e(s.value);
        this.emit(`store i32 ${value}, ptr ${this.localSlot(e(s.index))}, align 4`);
        return;
      }
      case "atomic": {
        const { op, ty } = ACC_OPERATIONS[s.cell] as (typeof ACC_OPERATIONS)[number];
        const value = e(s.value);
        const slot = this.value(`add i32 ${e(s.index)}, ${s.cell * ACC_CELLS}`);
        this.value(
          `atomicrmw ${op} ptr ${this.element("i64", "%acc", slot)}, ${ty} ${value} monotonic, align ${BYTES[ty]}`,
        );
        return;
      }
      case "atomic-own": {
        const value = e(s.value);
        const slot = this.ownSlot(s.slot);
        if (s.expected !== null) {
          const pair = this.value(
            `cmpxchg ptr ${slot}, i32 ${e(s.expected)}, i32 ${value} monotonic monotonic, align 4`,
          );
          context.env.set(s.id, this.value(`extractvalue { i32, i1 } ${pair}, 0`));
        } else context.env.set(s.id, this.value(`atomicrmw ${s.op} ptr ${slot}, i32 ${value} monotonic, align 4`));
        return;
      }
      case "collective":
        return this.collective(s, context);
      case "call": {
        const fn = this.#program.functions[s.callee] as DeviceFunction;
        const args = [
          ...s.args.map((arg) => `${arg.ty} ${e(arg)}`),
          "ptr %own",
          "ptr %in",
          "ptr %acc",
          "ptr %loc",
          `i32 ${context.mask === NO_MASK ? "0" : context.mask}`,
          "i32 %n",
        ].join(", ");
        let callee = `@f${s.callee}`;
        if (s.indirect) {
          // The index must not be seen through: a zero that depends on the launch.
          const zero = this.value(`lshr i32 ${this.special("ntid")}, 20`);
          callee = this.value(
            `load ptr, ptr ${this.element("ptr", "@ftab", this.value(`add i32 ${zero}, ${s.callee}`))}, align 4`,
          );
        }
        context.env.set(s.id, this.value(`call ${fn.result.ty} ${callee}(${args})`));
        return;
      }
      case "exit":
        this.#leaves = true;
        return this.#leave(s, "leave", context);
      case "break":
      case "continue":
        return this.#leave(s, LEAVING, context);
      case "if":
        return this.#if(s, context);
      case "switch":
        return this.#switch(s, context);
      case "loop":
        return this.#loop(s, context);
      case "exchange":
        return this.exchange(s, context);
      case "shared-atomic":
        return this.sharedAtomic(s, context);
      case "barrier-reduce": {
        const i1 = s.op !== "popc";
        const result = this.call(i1 ? "i1" : "i32", `llvm.nvvm.barrier.cta.red.${s.op}.aligned.all`, [
          { ty: "i32", value: "0" },
          { ty: "i1", value: e(s.predicate) },
        ]);
        context.env.set(s.id, i1 ? this.value(`zext i1 ${result} to i32`) : result);
        return;
      }
      case "split-barrier": {
        const barrier = (): void =>
          void this.call("void", "llvm.nvvm.barrier.cta.sync.all", [{ ty: "i32", value: "0" }]);
        const sides = [0, 1].map((side) => (inner: Context): void => {
          this.#statements(s.before[side] as readonly Statement[], inner);
          barrier();
          this.#statements(s.after[side] as readonly Statement[], inner);
        });
        return this.#branches(e(s.condition), sides, context, needsMask([s], this.#program));
      }
    }
  }

  /** Threads for which the condition holds do the body and go to `target`; for the others it goes on here. */
  #leave(s: Statement & { kind: "exit" | "break" | "continue" }, target: string, context: Context): void {
    const condition = this.expr(s.condition, context.env);
    const masked = context.mask !== NO_MASK && (s.kind !== "exit" || needsMask(s.body, this.#program));
    const taken = masked ? this.ballot(context.mask, condition) : context.mask;
    // Of exited threads nobody needs to know: a mask may go on naming them.
    const rest =
      masked && s.kind !== "exit"
        ? this.value(`and i32 ${context.mask}, ${this.value(`xor i32 ${taken}, -1`)}`)
        : context.mask;
    const [way, next] = [this.newLabel("way"), this.newLabel("on")];
    this.emit(`br i1 ${condition}, label %${way}, label %${next}`);
    this.start(way);
    const inner: Context = { env: new Map(context.env), mask: taken, leaving: [] };
    this.#statements(s.body, inner);
    if (s.kind !== "exit") context.leaving.push({ label: this.label, env: inner.env });
    this.emit(`br label %${target}`);
    this.start(next);
    context.mask = rest;
  }

  #anyOf(mask: string, condition: string): string {
    return this.call("i1", "llvm.nvvm.vote.any.sync", [
      { ty: "i32", value: mask },
      { ty: "i1", value: condition },
    ]);
  }

  #if(s: Statement & { kind: "if" }, context: Context): void {
    const condition = this.expr(s.condition, context.env);
    const sides = [s.then, s.otherwise].map((side) => (inner: Context) => this.#statements(side, inner));
    if (s.vote) this.#branches(this.#anyOf(context.mask, condition), sides, context, false);
    else this.#branches(condition, sides, context, needsMask([s], this.#program));
  }

  #branches(condition: string, sides: readonly ((inner: Context) => void)[], context: Context, masked: boolean): void {
    const taken = masked ? this.ballot(context.mask, condition) : context.mask;
    const others = masked ? this.value(`and i32 ${context.mask}, ${this.value(`xor i32 ${taken}, -1`)}`) : context.mask;
    const labels = [this.newLabel("then"), this.newLabel("else")];
    const join = this.newLabel("join");
    this.emit(`br i1 ${condition}, label %${labels[0]}, label %${labels[1]}`);
    const edges = sides.map((side, i) => {
      this.start(labels[i] as string);
      const inner: Context = { env: new Map(context.env), mask: i === 0 ? taken : others, leaving: context.leaving };
      side(inner);
      this.emit(`br label %${join}`);
      return { label: this.label, env: inner.env };
    });
    context.env = this.join(join, edges, [...context.env.keys()]);
  }

  #switch(s: Statement & { kind: "switch" }, context: Context): void {
    const masked = needsMask([s], this.#program);
    const count = s.cases.length;
    const value = this.value(`urem i32 ${this.expr(s.value, context.env)}, ${count + 1}`);
    const bodies = [...s.cases, s.otherwise];
    const masks = bodies.map((_, i) =>
      masked ? this.ballot(context.mask, this.value(`icmp eq i32 ${value}, ${i}`)) : context.mask,
    );
    const labels = bodies.map(() => this.newLabel("case"));
    const join = this.newLabel("join");
    this.emit(
      `switch i32 ${value}, label %${labels[count]} ` +
        `[ ${s.cases.map((_, i) => `i32 ${i}, label %${labels[i]}`).join(" ")} ]`,
    );
    const edges = bodies.map((body, i) => {
      this.start(labels[i] as string);
      const inner: Context = { env: new Map(context.env), mask: masks[i] as string, leaving: context.leaving };
      this.#statements(body, inner);
      this.emit(`br label %${join}`);
      return { label: this.label, env: inner.env };
    });
    context.env = this.join(join, edges, [...context.env.keys()]);
  }

  #loop(s: Statement & { kind: "loop" }, context: Context): void {
    const masked = needsMask([s], this.#program);
    const limit = this.value(`and i32 ${this.expr(s.count, context.env)}, ${s.mask}`);
    const bound = s.rotated ? this.value(`add i32 ${limit}, 1`) : limit;
    const before = { label: this.label, env: context.env };
    const [header, exit] = [this.newLabel("head"), this.newLabel("exit")];
    this.types.set(s.id, "i32");
    this.emit(`br label %${header}`);
    this.start(header);

    // Phis whose second value is known only at the end of the body: their lines are completed there.
    const changing = [...assigned(s.body)].filter((id) => context.env.has(id));
    const phis = new Map<number | "counter" | "mask", { name: string; line: number; ty: string; first: string }>();
    const phi = (key: number | "counter" | "mask", ty: string, first: string): string => {
      const name = `%v${this.next++}`;
      phis.set(key, { name, line: this.lines.push("") - 1, ty, first });
      return name;
    };
    const inner: Context = { env: new Map(context.env), mask: context.mask, leaving: [] };
    for (const id of changing) inner.env.set(id, phi(id, this.types.get(id) as string, context.env.get(id) as string));
    const counter = phi("counter", "i32", "0");
    inner.env.set(s.id, counter);
    inner.mask = masked ? phi("mask", "i32", context.mask) : NO_MASK;
    const exits: Edge[] = [];
    const mark = this.lines.length;
    const goesOnIf = (condition: string): string => {
      const goesOn = s.vote ? this.#anyOf(inner.mask, condition) : condition;
      if (masked && !s.vote) inner.mask = this.ballot(inner.mask, goesOn);
      return goesOn;
    };

    if (!s.rotated) {
      const goesOn = goesOnIf(this.value(`icmp ult i32 ${counter}, ${bound}`));
      const body = this.newLabel("body");
      this.emit(`br i1 ${goesOn}, label %${body}, label %${exit}`);
      exits.push({ label: this.label, env: new Map(inner.env) });
      this.start(body);
    }
    const bodyMask = inner.mask;
    this.#statements(s.body, inner);
    // Continues meet here; a loop that has them has no breaks, so all that began the body are together again.
    const leavesBy = s.body.find((part) => part.kind === "break" || part.kind === "continue")?.kind ?? "break";
    const latch = this.newLabel("latch");
    if (leavesBy === "continue") {
      this.emit(`br label %${latch}`);
      inner.env = this.join(latch, [{ label: this.label, env: inner.env }, ...inner.leaving], [...inner.env.keys()]);
      inner.mask = bodyMask;
    } else exits.push(...inner.leaving);
    const counted = this.value(`add i32 ${counter}, 1`);
    if (s.rotated) {
      const goesOn = goesOnIf(this.value(`icmp ult i32 ${counted}, ${bound}`));
      exits.push({ label: this.label, env: new Map(inner.env) });
      this.emit(`br i1 ${goesOn}, label %${header}, label %${exit}`);
    } else this.emit(`br label %${header}`);

    for (const [key, { name, line, ty, first }] of phis) {
      let last = inner.env.get(key as number) as string;
      if (key === "counter") last = counted;
      else if (key === "mask") last = inner.mask;
      this.lines[line] = `  ${name} = phi ${ty} [ ${first}, %${before.label} ], [ ${last}, %${this.label} ]`;
    }
    const target = leavesBy === "continue" ? latch : exit;
    for (let i = mark; i < this.lines.length; i++)
      this.lines[i] = (this.lines[i] as string).replace(`%${LEAVING}`, `%${target}`);
    context.env = this.join(exit, exits, [...context.env.keys()]);
  }
}
