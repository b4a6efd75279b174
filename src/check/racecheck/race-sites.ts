/** Racecheck's sites and their numbers, by which entries name them (race-state.ts). */
import type { IrFunction } from "../../ir/model/ir.ts";
import type { ModuleFlows } from "./access-order.ts";
import { isOneElement } from "./race-report.ts";
import { SITES } from "./race-state.ts";
import type { RaceSite } from "./race-site.ts";

/**
 * Numbers are a kernel's own, from 1 on, or of all functions that kernels call, from the last downwards: in a launch
 * both may be met. The sites of one statement, which a loop that is unrolled has several of, and those of a kernel's
 * copies have one number. A module's called functions come before its kernels.
 */
export class RaceSites {
  readonly #all: RaceSite[] = [];
  /** Of the functions that a module's kernels call. */
  readonly #called = new Map<ModuleFlows, Statements>();
  readonly #ofKernels = new Map<IrFunction, Statements>();

  get all(): readonly RaceSite[] {
    return this.#all;
  }

  /**
   * @param original the function that the site is in, or that this one is a copy of. @returns its number; 0: entries do
   * not name it
   */
  add(site: RaceSite, original: IrFunction): number {
    this.#all.push(site);
    if (!site.conflicts.group.sites) return 0;
    const called = statementsOf(this.#called, site.flow.flows);
    const statements = original.isKernel ? statementsOf(this.#ofKernels, original) : called;
    // Sites that write constants are compared at run time, so each has its own number.
    const key =
      site.location === null || site.constant !== null ? site : `${site.kind} ${JSON.stringify(site.location)}`;
    const known = statements.get(key);
    if (known !== undefined) {
      known.sites.push(site);
      return known.number;
    }
    if (statements.size + (original.isKernel ? called.size : 0) >= SITES.last) return 0;
    const number = original.isKernel ? statements.size + 1 : SITES.last - statements.size;
    statements.set(key, { number, sites: [site] });
    return number;
  }

  /**
   * What an entry names that `mine` races with. @param kernel that ran. @param among what it should be one of, if it
   * can be. @returns null: nothing that is known
   */
  named(number: number, kernel: IrFunction, mine: RaceSite, among: (site: RaceSite) => boolean): RaceSite | null {
    const statements = [
      ...statementsOf(this.#ofKernels, kernel).values(),
      ...statementsOf(this.#called, mine.flow.flows).values(),
    ];
    const sites = statements.find((statement) => statement.number === number)?.sites ?? [];
    // A kernel and its copy do not run together.
    const ofCode = sites.filter(
      (site) => !mine.flow.function.isKernel || !site.flow.function.isKernel || site.flow === mine.flow,
    );
    const candidates = ofCode.some(among) ? ofCode.filter(among) : ofCode;
    return candidates.find((site) => isOneElement(mine, site)) ?? candidates[0] ?? null;
  }
}

type Statements = Map<RaceSite | string, { readonly number: number; readonly sites: RaceSite[] }>;

function statementsOf<Key extends object>(known: Map<Key, Statements>, key: Key): Statements {
  let statements = known.get(key);
  if (statements === undefined) known.set(key, (statements = new Map()));
  return statements;
}
