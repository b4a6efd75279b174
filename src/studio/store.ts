/** State that views follow. */
import { useEffect, useState } from "preact/hooks";

export class Store<S> {
  #state: S;
  readonly #listeners: Set<() => void> = new Set();

  constructor(state: S) {
    this.#state = state;
  }

  get state(): S {
    return this.#state;
  }

  change(step: Partial<S> | ((state: S) => Partial<S>)): void {
    const changes = typeof step === "function" ? step(this.#state) : step;
    this.#state = { ...this.#state, ...changes };
    for (const listener of this.#listeners) listener();
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** What a view shows of a store: it is drawn again when that changes. */
export function useStore<S, T>(store: Store<S>, choose: (state: S) => T): T {
  const chosen = choose(store.state);
  const [, draw] = useState(0);
  useEffect(() => {
    let last = choose(store.state);
    if (last !== chosen) draw((count) => count + 1);
    return store.subscribe(() => {
      const now = choose(store.state);
      if (now === last) return;
      last = now;
      draw((count) => count + 1);
    });
  }, [store]);
  return chosen;
}
