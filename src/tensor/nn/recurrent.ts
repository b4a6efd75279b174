/** Recurrent networks, as torch.nn.RNN, LSTM and GRU. */
import { concatenate, full, stack } from "../operations/creation.ts";
import type { Tensor } from "../tensor.ts";
import { functional as F } from "./functional.ts";
import * as init from "./init.ts";
import { Module } from "./module.ts";
import { Parameter } from "./parameter.ts";
import { newParameter, requireCount, type ModuleOptions } from "./place.ts";
import "../api/shape-methods.ts";

export interface RecurrentOptions extends ModuleOptions {
  readonly numLayers?: number;
  readonly bias?: boolean;
  /** Inputs are [batch, length, features] instead of [length, batch, features]. */
  readonly batchFirst?: boolean;
  /** Between layers, while training. */
  readonly dropout?: number;
  readonly bidirectional?: boolean;
}

/** What is handed from step to step: h, and c of an LSTM. Each is [batch, hidden]. */
type State = readonly Tensor[];

abstract class Recurrent extends Module {
  readonly inputSize: number;
  readonly hiddenSize: number;
  readonly numLayers: number;
  readonly batchFirst: boolean;
  readonly isBidirectional: boolean;
  readonly dropout: number;
  readonly hasBias: boolean;

  constructor(inputSize: number, hiddenSize: number, gates: number, options: RecurrentOptions) {
    super();
    requireCount(this.constructor.name, "inputSize", inputSize);
    requireCount(this.constructor.name, "hiddenSize", hiddenSize);
    this.inputSize = inputSize;
    this.hiddenSize = hiddenSize;
    this.numLayers = options.numLayers ?? 1;
    this.batchFirst = options.batchFirst ?? false;
    this.isBidirectional = options.bidirectional ?? false;
    this.dropout = options.dropout ?? 0;
    this.hasBias = options.bias ?? true;
    const directions = this.isBidirectional ? 2 : 1;
    for (let layer = 0; layer < this.numLayers; layer++)
      for (let direction = 0; direction < directions; direction++) {
        const suffix = suffixOf(layer, direction);
        const inputs = layer === 0 ? inputSize : directions * hiddenSize;
        this.setMember(`weight_ih_${suffix}`, newParameter([gates * hiddenSize, inputs], options));
        this.setMember(`weight_hh_${suffix}`, newParameter([gates * hiddenSize, hiddenSize], options));
        if (!this.hasBias) continue;
        this.setMember(`bias_ih_${suffix}`, newParameter([gates * hiddenSize], options));
        this.setMember(`bias_hh_${suffix}`, newParameter([gates * hiddenSize], options));
      }
    const bound = 1 / Math.sqrt(hiddenSize);
    for (const parameter of this.parameters()) init.uniform_(parameter, -bound, bound);
  }

  /** How many tensors a state has. */
  protected abstract readonly states: number;
  /** @param fromInput input · weightᵀ + bias of this step @param fromHidden the same of the hidden state */
  protected abstract cell(fromInput: Tensor, fromHidden: Tensor, state: State): State;

  #parameter(name: string, suffix: string): Parameter | null {
    const value = (this as unknown as Record<string, unknown>)[`${name}_${suffix}`];
    return value instanceof Parameter ? value : null;
  }

  /** @param input [length, batch, features] @returns the outputs in this order, and the last state */
  #direction(input: Tensor, state: State, layer: number, direction: number): { outputs: Tensor; last: State } {
    const suffix = suffixOf(layer, direction);
    const [ih, hh] = [this.#parameter("weight_ih", suffix), this.#parameter("weight_hh", suffix)];
    const [bih, bhh] = [this.#parameter("bias_ih", suffix), this.#parameter("bias_hh", suffix)];
    // One product for all steps.
    const fromInputs = F.linear(input, ih as Parameter, bih).unbind(0);
    const outputs: Tensor[] = [];
    let current = state;
    for (const fromInput of direction === 0 ? fromInputs : fromInputs.reverse()) {
      current = this.cell(fromInput, F.linear(current[0] as Tensor, hh as Parameter, bhh), current);
      outputs.push(current[0] as Tensor);
    }
    return { outputs: stack(direction === 0 ? outputs : outputs.reverse(), 0), last: current };
  }

  /** @param initial for each tensor of a state [layers · directions, batch, hidden]; default: zeros */
  protected run(input: Tensor, initial: readonly Tensor[] | null): { output: Tensor; last: Tensor[] } {
    const isBatched = input.rank === 3;
    const withBatch = isBatched ? input : input.unsqueeze(this.batchFirst ? 0 : 1);
    let x = this.batchFirst ? withBatch.transpose(0, 1) : withBatch;
    const directions = this.isBidirectional ? 2 : 1;
    const shape = [directions * this.numLayers, x.shape[1] as number, this.hiddenSize];
    const given = initial?.map((tensor) => (isBatched ? tensor : tensor.unsqueeze(1)));
    const start = given ?? Array.from({ length: this.states }, () => full(shape, 0, x.dtype, x.place));
    const lasts: Tensor[][] = start.map(() => []);
    for (let layer = 0; layer < this.numLayers; layer++) {
      const parts: Tensor[] = [];
      for (let direction = 0; direction < directions; direction++) {
        const at = layer * directions + direction;
        const state = start.map((tensor) => tensor.select(0, at));
        const { outputs, last } = this.#direction(x, state, layer, direction);
        parts.push(outputs);
        for (const [i, tensor] of last.entries()) lasts[i]?.push(tensor);
      }
      x = parts.length === 1 ? (parts[0] as Tensor) : concatenate(parts, 2);
      if (layer < this.numLayers - 1 && this.dropout > 0)
        x = F.dropout(x, { p: this.dropout, training: this.training });
    }
    const ordered = this.batchFirst ? x.transpose(0, 1) : x;
    const last = lasts.map((all) => stack(all, 0));
    if (isBatched) return { output: ordered, last };
    return { output: ordered.squeeze(this.batchFirst ? 0 : 1), last: last.map((tensor) => tensor.squeeze(1)) };
  }

  override extraRepr(): string {
    const parts = [`${this.inputSize}, ${this.hiddenSize}`];
    if (this.numLayers !== 1) parts.push(`num_layers=${this.numLayers}`);
    if (!this.hasBias) parts.push("bias=False");
    if (this.batchFirst) parts.push("batch_first=True");
    if (this.dropout !== 0) parts.push(`dropout=${this.dropout}`);
    if (this.isBidirectional) parts.push("bidirectional=True");
    return parts.join(", ");
  }
}

const suffixOf = (layer: number, direction: number): string => `l${layer}${direction === 0 ? "" : "_reverse"}`;

export interface RNNOptions extends RecurrentOptions {
  readonly nonlinearity?: "tanh" | "relu";
}

/** h = tanh(W x + b + W h + b). */
export class RNN extends Recurrent {
  protected override readonly states = 1;
  readonly nonlinearity: "tanh" | "relu";

  constructor(inputSize: number, hiddenSize: number, options: RNNOptions = {}) {
    super(inputSize, hiddenSize, 1, options);
    this.nonlinearity = options.nonlinearity ?? "tanh";
  }

  protected override cell(fromInput: Tensor, fromHidden: Tensor): State {
    const sum = fromInput.add(fromHidden);
    return [this.nonlinearity === "relu" ? sum.relu() : sum.tanh()];
  }

  override forward(input: Tensor, hidden: Tensor | null = null): [output: Tensor, hidden: Tensor] {
    const { output, last } = this.run(input, hidden === null ? null : [hidden]);
    return [output, last[0] as Tensor];
  }
}

export class LSTM extends Recurrent {
  protected override readonly states = 2;

  constructor(inputSize: number, hiddenSize: number, options: RecurrentOptions = {}) {
    super(inputSize, hiddenSize, 4, options);
  }

  protected override cell(fromInput: Tensor, fromHidden: Tensor, [, c]: State): State {
    const gates = fromInput.add(fromHidden).chunk(4, 1) as [Tensor, Tensor, Tensor, Tensor];
    const [input, forget, cell, output] = gates;
    const next = forget
      .sigmoid()
      .mul(c as Tensor)
      .add(input.sigmoid().mul(cell.tanh()));
    return [output.sigmoid().mul(next.tanh()), next];
  }

  override forward(
    input: Tensor,
    state: readonly [hidden: Tensor, cell: Tensor] | null = null,
  ): [output: Tensor, state: [hidden: Tensor, cell: Tensor]] {
    const { output, last } = this.run(input, state);
    return [output, last as [Tensor, Tensor]];
  }
}

export class GRU extends Recurrent {
  protected override readonly states = 1;

  constructor(inputSize: number, hiddenSize: number, options: RecurrentOptions = {}) {
    super(inputSize, hiddenSize, 3, options);
  }

  protected override cell(fromInput: Tensor, fromHidden: Tensor, [h]: State): State {
    const [resetX, updateX, newX] = fromInput.chunk(3, 1) as [Tensor, Tensor, Tensor];
    const [resetH, updateH, newH] = fromHidden.chunk(3, 1) as [Tensor, Tensor, Tensor];
    const reset = resetX.add(resetH).sigmoid();
    const update = updateX.add(updateH).sigmoid();
    const next = newX.add(reset.mul(newH)).tanh();
    return [next.add(update.mul((h as Tensor).sub(next)))];
  }

  override forward(input: Tensor, hidden: Tensor | null = null): [output: Tensor, hidden: Tensor] {
    const { output, last } = this.run(input, hidden === null ? null : [hidden]);
    return [output, last[0] as Tensor];
  }
}
