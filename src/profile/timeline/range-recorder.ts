/** Records the ranges and marks by which a program names its own phases. */
import type { Annotation, TimelineMark, TimelineRange } from "./timeline.ts";

type OpenRange = { -readonly [K in keyof TimelineRange]: TimelineRange[K] };

export class RangeRecorder {
  readonly #now: () => number;
  readonly #limit: number;
  readonly #ranges: OpenRange[] = [];
  readonly #marks: TimelineMark[] = [];
  /** Places of the nested ranges that are open, by domain, and of all domains together; null: it was not recorded. */
  readonly #nested = new Map<string | null, (number | null)[]>();
  readonly #all: number[] = [];
  readonly #free = new Map<string, number | null>();
  #notRecorded = 0;

  constructor(now: () => number, limit: number) {
    this.#now = now;
    this.#limit = limit;
  }

  /** The place of the innermost nested range, or null. */
  get innermost(): number | null {
    return this.#all.at(-1) ?? null;
  }

  push(annotation: Annotation): void {
    const place = this.#begin("nested", annotation);
    const stack = this.#nested.get(annotation.domain) ?? [];
    this.#nested.set(annotation.domain, stack);
    stack.push(place);
    if (place !== null) this.#all.push(place);
  }

  /** Ends the domain's innermost range; without effect where none is open. */
  pop(domain: string | null): void {
    const place = this.#nested.get(domain)?.pop() ?? null;
    if (place === null) return;
    this.#end(place);
    this.#all.splice(this.#all.lastIndexOf(place), 1);
  }

  /** Begins a nested range. @returns what ends it, also where others that began later are still open */
  open(annotation: Annotation): () => void {
    const place = this.#begin("nested", annotation);
    if (place === null) return () => undefined;
    this.#all.push(place);
    return () => {
      const at = this.#all.lastIndexOf(place);
      if (at < 0) return;
      this.#all.splice(at, 1);
      this.#end(place);
    };
  }

  start(id: string, annotation: Annotation): void {
    this.#free.set(id, this.#begin("free", annotation));
  }

  end(id: string): void {
    const place = this.#free.get(id) ?? null;
    this.#free.delete(id);
    if (place !== null) this.#end(place);
  }

  mark(annotation: Annotation): void {
    if (this.#marks.length >= this.#limit) this.#notRecorded++;
    else this.#marks.push({ ...annotation, atMs: this.#now() });
  }

  /** Ranges that are open end now. */
  recorded(): {
    readonly ranges: readonly TimelineRange[];
    readonly marks: readonly TimelineMark[];
    readonly notRecorded: number;
  } {
    const now = this.#now();
    return {
      ranges: this.#ranges.map((range) => ({
        ...range,
        durationMs: range.isOpen ? now - range.startMs : range.durationMs,
      })),
      marks: [...this.#marks],
      notRecorded: this.#notRecorded,
    };
  }

  #begin(kind: TimelineRange["kind"], annotation: Annotation): number | null {
    if (this.#ranges.length >= this.#limit) {
      this.#notRecorded++;
      return null;
    }
    this.#ranges.push({
      ...annotation,
      kind,
      parent: this.innermost,
      startMs: this.#now(),
      durationMs: 0,
      isOpen: true,
    });
    return this.#ranges.length - 1;
  }

  #end(place: number): void {
    const range = this.#ranges[place] as OpenRange;
    range.durationMs = this.#now() - range.startMs;
    range.isOpen = false;
  }
}
