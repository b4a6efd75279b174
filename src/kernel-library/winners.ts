/** The best version and configuration of a ladder for each device and shape that was measured. */
import { shapeText, type Configuration, type Shape } from "./ladder.ts";

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

/**
 * The winners in the order in which they suit a device and a shape: those of the device before those of its kind, then
 * those with the same switches (a size that is 0, such as causal=0), then by how far the sizes are away (as factors).
 * Those of the other kind are left out.
 */
export function ranked(winners: readonly Winner[], device: Winner["device"], shape: Shape): Winner[] {
  const distance = (winner: Winner): number =>
    Object.entries(shape).reduce(
      (sum, [size, value]) => sum + Math.abs(Math.log(Math.max(1, value) / Math.max(1, winner.shape[size] ?? 1))),
      0,
    );
  const otherSwitches = (winner: Winner): number =>
    Object.entries(shape).filter(([size, value]) => (value === 0) !== ((winner.shape[size] ?? value) === 0)).length;
  const isOther = (winner: Winner): number => Number(winner.device.name !== device.name);
  return winners
    .filter(({ device: { kind } }) => kind === device.kind)
    .toSorted((a, b) => isOther(a) - isOther(b) || otherSwitches(a) - otherSwitches(b) || distance(a) - distance(b));
}
