/**
 * Asynccheck: what a thread, or another operation, does to memory or registers while an asynchronous copy or product
 * may still be under way, and what the asynchronous proxy reads without a fence.
 *
 * The code in kernels (async-visitor.ts) calls libdevice/async-check.cu, which follows the operations.
 */
import { bug } from "../../base/diagnostics.ts";
import type { Example, FunctionContext, FunctionVisitor, Site } from "../../instrument/instrumenter.ts";
import type { IrFunction, IrModule } from "../../ir/model/ir.ts";
import type { CheckedDevice, Checker } from "../checker.ts";
import type { FindingDraft } from "../finding.ts";
import { asyncFunctions } from "./async-operations.ts";
import { ANSWERS, ASYNC_HOOKS, ASYNC_TABLES, ASYNC_WORDS } from "./async-state.ts";
import { AsyncVisitor, type AsyncSite } from "./async-visitor.ts";

export type AsyncFault = Exclude<(typeof ANSWERS)[number], null> | "early-sums";

/** `Finding.details` of asynccheck. */
export interface AsyncDetails {
  readonly does: AsyncSite["does"];
  /** In shared memory; null: of registers. */
  readonly address: number | null;
  /** The operation, or the write, that it met; null: not known any more. */
  readonly other: Site["location"];
}

export const ASYNC_TITLES: Readonly<Record<AsyncFault, string>> = {
  "early-read": "read before the copy is complete",
  "wrong-phase": "wait for the wrong phase",
  "early-overwrite": "write into the destination of a copy",
  "early-write": "write over what an operation still reads",
  "missing-proxy-fence": "missing proxy fence",
  "wrong-swizzle": "wrong swizzle",
  "early-sums": "read of sums before the product is complete",
  "changed-registers": "change of registers that a product still reads",
};

const HELP: Readonly<Record<AsyncFault, string>> = {
  "early-read":
    "wait before: cp.async.wait_group and a barrier of the threads after cp.async, a wait on the mbarrier after a " +
    "bulk copy",
  "wrong-phase":
    "a wait for a parity returns when the phase of that parity is over: begin with 0, and change it whenever the " +
    "buffer comes round again",
  "early-overwrite": "wait for the copy before",
  "early-write":
    "wait before: wgmma.wait_group after products, cp.async.bulk.wait_group.read after a store; then tell the " +
    "thread that refills the buffer",
  "missing-proxy-fence":
    "the thread that has written executes fence.proxy.async after it, and the threads meet at a barrier before the " +
    "operation begins",
  "wrong-swizzle":
    "give the descriptor the swizzle of the tensor map: bits 62 and 63 are 1 for 128 bytes, 2 for 64, 3 for 32",
  "early-sums": "wgmma.wait_group before the first read",
  "changed-registers": "wgmma.wait_group before the registers of A get other values",
};

const MESSAGES: Readonly<Record<AsyncSite["does"], string>> = {
  read: "a thread reads shared memory",
  write: "a thread writes shared memory",
  copy: "an asynchronous copy writes shared memory",
  tile: "a copy of a tile writes shared memory",
  store: "an asynchronous copy reads shared memory",
  product: "a product reads shared memory",
  sums: "a thread reads the registers of a product",
  registers: "a thread changes registers that a product reads A from",
};

const OTHERS: Readonly<Record<AsyncFault, string>> = {
  "early-read": "the copy that nobody has waited for:",
  "wrong-phase": "the copy; the last wait on its barrier was for another phase, which was over already:",
  "early-overwrite": "the copy that may still be under way:",
  "early-write": "the operation that may still read:",
  "missing-proxy-fence": "the write, after which no fence.proxy.async stands:",
  "wrong-swizzle": "the tile came with another swizzle:",
  "early-sums": "",
  "changed-registers": "the product that may still be under way:",
};

export class AsyncChecker implements Checker {
  readonly name = "asynccheck";
  readonly shadowPlanes = 0;
  /** The hooks share their tables. */
  readonly serial = true;
  readonly libraryFunctions: readonly string[] = ASYNC_HOOKS;
  #words: (() => Uint32Array) | null = null;
  #launches = 0;
  #functions: ReadonlySet<IrFunction> = new Set();
  readonly #sites: AsyncSite[] = [];

  attach(device: CheckedDevice): void {
    let state = 0;
    for (const [name, bytes] of Object.entries(ASYNC_TABLES)) {
      const address = device.variable(name, bytes);
      if (name === "async") state = address;
    }
    this.#words = () => new Uint32Array(device.memory.bytes.buffer, state, 4);
    const words = this.#words();
    words[ASYNC_WORDS.start] = device.memory.windows.start;
    words[ASYNC_WORDS.end] = device.memory.windows.end;
  }

  beginModule(_module: IrModule, own: ReadonlySet<IrFunction>): void {
    this.#functions = asyncFunctions(own);
  }

  visitor(context: FunctionContext): FunctionVisitor | null {
    return this.#functions.has(context.function) ? new AsyncVisitor(context, (site) => this.#sites.push(site)) : null;
  }

  launching(): void {
    const words = this.#words?.() ?? bug("asynccheck is not attached");
    words[ASYNC_WORDS.launch] = ++this.#launches;
  }

  describe(site: Site, { words: [answer = 0, address = 0] }: Example): FindingDraft {
    const { does } = site as AsyncSite;
    const kind: AsyncFault = ANSWERS[answer & 15] ?? "early-sums";
    const other = this.#sites[(answer >>> 4) - 1] ?? null;
    const details: AsyncDetails = {
      does,
      address: does === "sums" || does === "product" || does === "registers" ? null : address,
      other: other?.location ?? null,
    };
    return {
      kind,
      title: ASYNC_TITLES[kind],
      message: MESSAGES[does],
      notes: other === null ? [] : [{ text: OTHERS[kind], location: other.location }],
      help: HELP[kind],
      details: { ...details },
    };
  }
}
