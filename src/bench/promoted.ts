/**
 * The best version and configuration of a ladder for each device and shape that was measured: `promoted.json` in its
 * folder, which `heddle bench --promote` writes and `openKernels` reads.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HeddleError } from "../base/diagnostics.ts";
import type { Configuration, Shape } from "./ladder.ts";
import { fastest, shapeText, type ResultRecord } from "./results.ts";

export const PROMOTED_FILE = "promoted.json";

export interface Winner {
  readonly device: { readonly kind: "emulated" | "cuda"; readonly name: string };
  readonly shape: Shape;
  readonly version: string;
  readonly configuration: Configuration;
  /** On a GPU with a cold cache. */
  readonly medianMs: number;
  /** SHA-256 of the version's source and what it includes, as it was measured. */
  readonly source: string;
  /** ISO 8601, UTC. */
  readonly time: string;
}

/** The winner of a result; null where no version was right and timed. */
export function winnerOf({ surroundings, shape, versions }: ResultRecord): Winner | null {
  const best = fastest(versions);
  if (best === null) return null;
  const { kind, name } = surroundings.device;
  const { version, configuration, source } = best.result;
  return {
    device: { kind, name },
    shape,
    version,
    configuration: configuration ?? {},
    medianMs: best.medianMs,
    source,
    time: surroundings.time,
  };
}

const placeOf = ({ device, shape }: Winner): string => `${device.kind} ${device.name} ${shapeText(shape)}`;

/** What is promoted for a winner's device and shape; null where nothing is. */
export function winnerAt(winners: readonly Winner[], place: Winner): Winner | null {
  return winners.find((other) => placeOf(other) === placeOf(place)) ?? null;
}

/** In an order of their own, so that a file changes only where a winner does. */
export function withWinner(winners: readonly Winner[], winner: Winner): Winner[] {
  const others = winners.filter((other) => placeOf(other) !== placeOf(winner));
  return [...others, winner].toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
}

/** None where there is no file. @throws HeddleError "io-error" for a file that is none of ours. */
export function readWinners(folder: string): readonly Winner[] {
  const path = join(folder, PROMOTED_FILE);
  if (!existsSync(path)) return [];
  try {
    const { format, winners } = JSON.parse(readFileSync(path, "utf8")) as {
      format: unknown;
      winners: readonly Winner[];
    };
    if (format === 1 && Array.isArray(winners)) return winners;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new HeddleError("io-error", `${path} cannot be read`, {
    notes: ["heddle bench --promote writes it anew, once it is removed"],
  });
}

export function writeWinners(folder: string, winners: readonly Winner[]): void {
  writeFileSync(
    join(folder, PROMOTED_FILE),
    `${JSON.stringify({ format: 1, generated: "by heddle bench --promote", winners }, null, 2)}\n`,
  );
}

/**
 * The winners in the order in which they suit a device and a shape: those of the device before those of its kind, then
 * by how far the sizes are away (as factors). Those of the other kind are left out.
 */
export function ranked(winners: readonly Winner[], device: Winner["device"], shape: Shape): Winner[] {
  const distance = (winner: Winner): number =>
    Object.entries(shape).reduce(
      (sum, [size, value]) => sum + Math.abs(Math.log(Math.max(1, value) / Math.max(1, winner.shape[size] ?? 1))),
      0,
    );
  const isOther = (winner: Winner): number => Number(winner.device.name !== device.name);
  return winners
    .filter(({ device: { kind } }) => kind === device.kind)
    .toSorted((a, b) => isOther(a) - isOther(b) || distance(a) - distance(b));
}
