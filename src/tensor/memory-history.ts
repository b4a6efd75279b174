/** What took memory of a device and gave it back, and when: recorded while somebody asks for it. */

export interface MemoryEvent {
  readonly kind: "allocate" | "free";
  /** Milliseconds since recording began. */
  readonly at: number;
  readonly pointer: number;
  readonly bytes: number;
  /** Bytes of all tensors behind this event, and bytes taken from the device. */
  readonly allocatedBytes: number;
  readonly reservedBytes: number;
  /** The method or function of tensors that was called, such as `matmul`; null: a finaliser, or nothing known. */
  readonly operation: string | null;
}

/** More events than these are not kept: the oldest ones go. */
const MOST_EVENTS = 1_000_000;

export class MemoryHistory {
  readonly #begin = performance.now();
  #events: MemoryEvent[] = [];

  get events(): readonly MemoryEvent[] {
    return this.#events;
  }

  add(event: Omit<MemoryEvent, "at" | "operation">): void {
    this.#events.push({ ...event, at: performance.now() - this.#begin, operation: currentOperation() });
    if (this.#events.length > MOST_EVENTS) this.#events = this.#events.slice(MOST_EVENTS / 2);
  }
}

/** The outermost call of this library's tensors on the stack. */
function currentOperation(): string | null {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 60;
  const lines = (new Error("where").stack ?? "").split("\n").slice(3);
  Error.stackTraceLimit = limit;
  let found: string | null = null;
  for (const line of lines) {
    if (!/[\\/](?:tensor[\\/]|tensor\.[jt]s)/.test(line)) break;
    const [, own, installed] = /at (?:new )?(?:[\w$]+\.)?#?([\w$]+)(?: \[as ([\w$]+)\])? \(/.exec(line) ?? [];
    const name = installed ?? own;
    if (name !== undefined && !SURROUNDINGS.has(name)) found = name;
  }
  return found;
}

/** What other operations are called in. */
const SURROUNDINGS: ReadonlySet<string> = new Set(["scoped", "tidy", "withTape", "withoutTape", "noGrad", "anonymous"]);

/** As Chrome's trace events: a curve of allocated and reserved bytes, and each event by its operation. */
export function memoryTrace(events: readonly MemoryEvent[]): string {
  const traceEvents = events.flatMap(({ at, kind, bytes, operation, allocatedBytes, reservedBytes }) => {
    const common = { pid: 1, tid: 1, ts: at * 1000 };
    return [
      { ...common, ph: "C", name: "memory of tensors", args: { allocated: allocatedBytes, reserved: reservedBytes } },
      { ...common, ph: "i", s: "t", name: `${kind} ${operation ?? "?"}`, args: { bytes } },
    ];
  });
  return JSON.stringify({ traceEvents });
}
