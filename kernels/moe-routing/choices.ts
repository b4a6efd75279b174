/** The choice of experts, as moe-routing and moe-layer declare it. */
import { normal, type Distribution } from "heddle/ladder";
import { divideUp } from "../common/hopper.ts";

/** Logits of a token that all differ, since rivals do not say which of two equal ones comes first. */
export const distinctLogits: Distribution = (random, shape) => {
  const next = normal(0, 1)(random, shape);
  const { experts = 1 } = shape;
  let index = 0;
  return () => Math.round(next() * 2 ** 10) * 2 ** -10 + (index++ % experts) * 2 ** -18;
};
/** Arguments of the template that chooses: so many neighbouring lanes for a token, with so many logits each. */
export const lanesFor = (experts: number): string => {
  const lanes = [4, 8, 16].find((count) => experts <= count) ?? 32;
  return `${lanes}, ${2 ** Math.ceil(Math.log2(divideUp(experts, lanes)))}`;
};
/** So many blocks of at most `most`, each with the same number of tokens: none has nothing to do. */
export const blocksFor = (tokens: number, most: number): number =>
  divideUp(tokens, divideUp(tokens, Math.min(most, tokens)));

export interface Choice {
  readonly expert: number;
  readonly weight: number;
}
/** The experts of a token by their logits, with their weights, for a reference. */
export function choicesOf(logits: Float64Array, top: number, isNormalized: boolean): Choice[] {
  const order = Array.from(logits.keys()).sort((a, b) => (logits[b] as number) - (logits[a] as number) || a - b);
  const largest = logits[order[0] as number] as number;
  const exponentials = order.map((expert) => Math.exp((logits[expert] as number) - largest));
  const sum = exponentials.slice(0, isNormalized ? top : order.length).reduce((a, b) => a + b);
  return order.slice(0, top).map((expert, i) => ({ expert, weight: (exponentials[i] as number) / sum }));
}
