/** Hints about constants: their cache serves one address at a time. */
import { VERBS, accessesIn, placeOf, ratio, type Finding, type HintInput } from "./hint.ts";

/** Addresses of a request beyond the first, as a part of all. */
const LEAST_WASTE = 0.5;
/** Of all instructions, so many must wait for constants to be worth a line. */
const LEAST_SHARE = 0.1;

export function constantHints({ launch, metrics }: HintInput): Finding[] {
  const instructions = metrics["smsp__inst_executed.sum"] ?? 0;
  return accessesIn(launch, ({ space }) => space === "constant").flatMap(({ line, access }) => {
    const { operation, requests, transactions, ideal } = access;
    const waste = (transactions - ideal) / Math.max(1, transactions);
    if (waste < LEAST_WASTE || transactions - ideal < LEAST_SHARE * instructions) return [];
    return [
      {
        kind: "constant-addresses",
        place: placeOf(line),
        what:
          `${VERBS[operation]} of constants have ${ratio(transactions, requests)} addresses a request: ` +
          "the cache of constants serves one at a time",
        cure: "let all threads of a warp read the same element, or keep the table in shared or global memory",
        waste,
        // The model of time has no unit for it.
        gain: 1,
      },
    ];
  });
}
