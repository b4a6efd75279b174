/** What follows memory of tensors while `compile` traces a function; what it does with operations: tracing.ts. */

export interface Follower {
  /** The device whose operations are traced. */
  readonly place: unknown;
  /** Memory of a tensor that the function makes. @returns a storage */
  allocate(bytes: number): unknown;
  /** Memory of a tensor is read or written without an operation. */
  touch(storage: unknown, what: "reads" | "writes"): void;
  /** `grad` of this tensor is about to change. */
  gradientChanges(tensor: unknown): void;
  /** The function looks at a tensor, or at the switch of a module. */
  sees(object: unknown): void;
  /** What is done in JavaScript, and again at each call. */
  effect(work: () => void): void;
}

let current: Follower | null = null;

/** What traces operations; null: nothing does. */
export function currentTracer(): Follower | null {
  return current;
}

export function withTracer<T>(tracer: Follower | null, work: () => T): T {
  const before = current;
  current = tracer;
  try {
    return work();
  } finally {
    current = before;
  }
}

/** Changes something in JavaScript that each call of a compiled function has to change, too. */
export function sideEffect(work: () => void): void {
  if (current === null) work();
  else current.effect(work);
}
