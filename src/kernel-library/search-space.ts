/** The configurations that a version can have. */
import { HeddleError } from "../base/diagnostics.ts";
import type { Configuration, Shape, Sweep } from "./ladder.ts";

export interface Space {
  readonly names: readonly string[];
  readonly values: readonly (readonly number[])[];
  readonly allow: (configuration: Configuration) => boolean;
}

export function spaceOf<S extends Shape>({ parameters = {}, allow = () => true }: Sweep<S>, shape: S): Space {
  return {
    names: Object.keys(parameters),
    values: Object.values(parameters),
    allow: (configuration) => allow(configuration, shape),
  };
}

/** Every allowed combination, the default first. */
export function* configurations({ names, values, allow }: Space): IterableIterator<Configuration> {
  const digits = names.map(() => 0);
  for (;;) {
    const configuration = Object.fromEntries(
      names.map((name, i) => [name, (values[i] as readonly number[])[digits[i] as number] as number]),
    );
    if (allow(configuration)) yield configuration;
    let at = names.length - 1;
    for (; at >= 0; at--) {
      digits[at] = (digits[at] as number) + 1;
      if ((digits[at] as number) < (values[at] as readonly number[]).length) break;
      digits[at] = 0;
    }
    if (at < 0) return;
  }
}

/**
 * The allowed combinations in their order, `limit` at most: what comes after them is not looked at, so that a space may
 * be as large as it likes.
 */
export function firstConfigurations(space: Space, limit: number): Configuration[] {
  const first: Configuration[] = [];
  for (const configuration of configurations(space)) if (first.push(configuration) >= limit) break;
  return first;
}

export function defaultConfiguration(space: Space, version: string): Configuration {
  const [first] = firstConfigurations(space, 1);
  if (first === undefined) throw new HeddleError("bad-arguments", `version ${version} allows no configuration at all`);
  return first;
}

export const keyOf = (configuration: Configuration): string =>
  Object.entries(configuration)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
