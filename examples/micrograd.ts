// scalar autograd on one page, as Karpathy's micrograd: values, neurons, layers

/** A number that knows what it was computed from. */
export class Value {
  data: number;
  grad = 0;
  readonly children: readonly Value[];
  readonly op: string;
  #backward: () => void = () => {};

  constructor(data: number, children: readonly Value[] = [], op = "") {
    this.data = data;
    this.children = children;
    this.op = op;
  }

  /** A result, and how its gradient flows to `children`: the derivative by each. */
  static #of(data: number, children: readonly Value[], op: string, slopes: () => readonly number[]): Value {
    const out = new Value(data, children, op);
    out.#backward = () => {
      for (const [i, slope] of slopes().entries()) (children[i] as Value).grad += slope * out.grad;
    };
    return out;
  }

  add(other: Value | number): Value {
    const o = valueOf(other);
    return Value.#of(this.data + o.data, [this, o], "+", () => [1, 1]);
  }

  mul(other: Value | number): Value {
    const o = valueOf(other);
    return Value.#of(this.data * o.data, [this, o], "*", () => [o.data, this.data]);
  }

  pow(power: number): Value {
    return Value.#of(this.data ** power, [this], `**${power}`, () => [power * this.data ** (power - 1)]);
  }

  relu(): Value {
    return Value.#of(Math.max(0, this.data), [this], "ReLU", () => [this.data > 0 ? 1 : 0]);
  }

  tanh(): Value {
    const t = Math.tanh(this.data);
    return Value.#of(t, [this], "tanh", () => [1 - t * t]);
  }

  exp(): Value {
    const e = Math.exp(this.data);
    return Value.#of(e, [this], "exp", () => [e]);
  }

  neg(): Value {
    return this.mul(-1);
  }

  sub(other: Value | number): Value {
    return this.add(valueOf(other).neg());
  }

  div(other: Value | number): Value {
    return this.mul(valueOf(other).pow(-1));
  }

  /** Sets `grad` of everything that this value was computed from. */
  backward(): void {
    const order: Value[] = [];
    const seen = new Set<Value>();
    const visit = (value: Value): void => {
      if (seen.has(value)) return;
      seen.add(value);
      for (const child of value.children) visit(child);
      order.push(value);
    };
    visit(this);
    this.grad = 1;
    for (const value of order.reverse()) value.#backward();
  }

  toString(): string {
    return `Value(data=${this.data}, grad=${this.grad})`;
  }
}

const valueOf = (other: Value | number): Value => (other instanceof Value ? other : new Value(other));

/** A weighted sum, and what bends it. */
export class Neuron {
  readonly w: Value[];
  readonly b: Value = new Value(0);
  readonly nonlin: boolean;

  constructor(nin: number, nonlin = true, random: () => number = Math.random) {
    this.w = Array.from({ length: nin }, () => new Value(2 * random() - 1));
    this.nonlin = nonlin;
  }

  call(x: readonly (Value | number)[]): Value {
    const sum = this.w.reduce((all, w, i) => all.add(w.mul(x[i] as Value | number)), this.b);
    return this.nonlin ? sum.relu() : sum;
  }

  parameters(): Value[] {
    return [...this.w, this.b];
  }
}

export class Layer {
  readonly neurons: Neuron[];

  constructor(nin: number, nout: number, nonlin = true, random: () => number = Math.random) {
    this.neurons = Array.from({ length: nout }, () => new Neuron(nin, nonlin, random));
  }

  call(x: readonly (Value | number)[]): Value[] {
    return this.neurons.map((neuron) => neuron.call(x));
  }

  parameters(): Value[] {
    return this.neurons.flatMap((neuron) => neuron.parameters());
  }
}

/** Layers one after the other; the last one is linear. */
export class MLP {
  readonly layers: Layer[];

  constructor(nin: number, nouts: readonly number[], random: () => number = Math.random) {
    const sizes = [nin, ...nouts];
    this.layers = nouts.map((n, i) => new Layer(sizes[i] as number, n, i !== nouts.length - 1, random));
  }

  call(x: readonly (Value | number)[]): Value[] {
    return this.layers.reduce<(Value | number)[]>((values, layer) => layer.call(values), [...x]) as Value[];
  }

  parameters(): Value[] {
    return this.layers.flatMap((layer) => layer.parameters());
  }

  zeroGrad(): void {
    for (const parameter of this.parameters()) parameter.grad = 0;
  }
}
