/**
 * The ladders in kernels/ as functions. Written by scripts/make-kernel-types.mjs (npm run docs); what they do and how
 * they are called: src/kernel-library/kernels-node.ts.
 */
import type { DeviceArray } from "../library/device-array.ts";

export interface HeddleKernels {
  /** one step of the optimizer AdamW for n parameters; changes the parameters and both moments in place */
  adamw(
    params: DeviceArray<"float32">,
    grads: DeviceArray<"float32">,
    m: DeviceArray<"float32">,
    v: DeviceArray<"float32">,
    named?: { n?: number },
  ): Promise<{ params: DeviceArray<"float32">; m: DeviceArray<"float32">; v: DeviceArray<"float32"> }>;
  /**
   * gradients of attention (head size 128, bfloat16): of queries, keys and values, from the gradient go of the output o
   * and the logarithms lse of the softmax's sums; causal=1 leaves out keys after the query's own
   */
  attentionBackward(
    q: DeviceArray<"bfloat16">,
    k: DeviceArray<"bfloat16">,
    v: DeviceArray<"bfloat16">,
    o: DeviceArray<"bfloat16">,
    go: DeviceArray<"bfloat16">,
    lse: DeviceArray<"float32">,
    named:
      | {
          batch: number;
          heads: number;
          length?: number;
          causal: number;
          gq?: DeviceArray<"bfloat16">;
          gk?: DeviceArray<"bfloat16">;
          gv?: DeviceArray<"bfloat16">;
        }
      | {
          batch: number;
          heads?: number;
          length: number;
          causal: number;
          gq?: DeviceArray<"bfloat16">;
          gk?: DeviceArray<"bfloat16">;
          gv?: DeviceArray<"bfloat16">;
        }
      | {
          batch?: number;
          heads: number;
          length: number;
          causal: number;
          gq?: DeviceArray<"bfloat16">;
          gk?: DeviceArray<"bfloat16">;
          gv?: DeviceArray<"bfloat16">;
        },
  ): Promise<{ gq: DeviceArray<"bfloat16">; gk: DeviceArray<"bfloat16">; gv: DeviceArray<"bfloat16"> }>;
  /**
   * attention: o = softmax(q k' / sqrt(128)) v for each batch and head; q, k, v and o are length x 128 bfloat16;
   * causal=1 leaves out keys after the query's own
   */
  attentionForward(
    q: DeviceArray<"bfloat16">,
    k: DeviceArray<"bfloat16">,
    v: DeviceArray<"bfloat16">,
    named:
      | { batch: number; heads: number; length?: number; causal: number; o?: DeviceArray<"bfloat16"> }
      | { batch: number; heads?: number; length: number; causal: number; o?: DeviceArray<"bfloat16"> }
      | { batch?: number; heads: number; length: number; causal: number; o?: DeviceArray<"bfloat16"> },
  ): Promise<DeviceArray<"bfloat16">>;
  /**
   * causal attention, floats, in llm.c's layout: qkv is batch x length x (query, key, value) x heads x 64, out is batch
   * x length x heads x 64
   */
  attentionForwardPacked(
    qkv: DeviceArray<"float32">,
    named:
      | { batch: number; heads: number; length?: number; out?: DeviceArray<"float32"> }
      | { batch: number; heads?: number; length: number; out?: DeviceArray<"float32"> }
      | { batch?: number; heads: number; length: number; out?: DeviceArray<"float32"> },
  ): Promise<DeviceArray<"float32">>;
  /**
   * attention of sequences of any lengths: o = softmax(q k' / sqrt(128)) v for each head; q and o have tokens x heads x
   * 128 bfloat16, k and v tokens x kvHeads x 128; sequence s has the tokens from starts[s] to starts[s + 1]; causal=1
   * leaves out keys after the query's own
   */
  attentionVarlen(
    q: DeviceArray<"bfloat16">,
    k: DeviceArray<"bfloat16">,
    v: DeviceArray<"bfloat16">,
    starts: DeviceArray<"int32">,
    named:
      | {
          tokens: number;
          sequences?: number;
          longest: number;
          heads?: number;
          kvHeads?: number;
          causal: number;
          o?: DeviceArray<"bfloat16">;
        }
      | {
          tokens?: number;
          sequences?: number;
          longest: number;
          heads: number;
          kvHeads?: number;
          causal: number;
          o?: DeviceArray<"bfloat16">;
        }
      | {
          tokens?: number;
          sequences?: number;
          longest: number;
          heads?: number;
          kvHeads: number;
          causal: number;
          o?: DeviceArray<"bfloat16">;
        },
  ): Promise<DeviceArray<"bfloat16">>;
  /**
   * gradients of attention-varlen: of queries, keys and values, from the gradient go of the output o and the logarithms
   * lse of the softmax's sums (heads x tokens); sequence s has the tokens from starts[s] to starts[s + 1]; causal=1
   * leaves out keys after the query's own
   */
  attentionVarlenBackward(
    q: DeviceArray<"bfloat16">,
    k: DeviceArray<"bfloat16">,
    v: DeviceArray<"bfloat16">,
    o: DeviceArray<"bfloat16">,
    go: DeviceArray<"bfloat16">,
    lse: DeviceArray<"float32">,
    starts: DeviceArray<"int32">,
    named:
      | {
          tokens: number;
          sequences?: number;
          longest: number;
          heads?: number;
          kvHeads?: number;
          causal: number;
          gq?: DeviceArray<"bfloat16">;
          gk?: DeviceArray<"bfloat16">;
          gv?: DeviceArray<"bfloat16">;
        }
      | {
          tokens?: number;
          sequences?: number;
          longest: number;
          heads: number;
          kvHeads?: number;
          causal: number;
          gq?: DeviceArray<"bfloat16">;
          gk?: DeviceArray<"bfloat16">;
          gv?: DeviceArray<"bfloat16">;
        }
      | {
          tokens?: number;
          sequences?: number;
          longest: number;
          heads?: number;
          kvHeads: number;
          causal: number;
          gq?: DeviceArray<"bfloat16">;
          gk?: DeviceArray<"bfloat16">;
          gv?: DeviceArray<"bfloat16">;
        },
  ): Promise<{ gq: DeviceArray<"bfloat16">; gk: DeviceArray<"bfloat16">; gv: DeviceArray<"bfloat16"> }>;
  /** gradient of a bias: adds the sums of the columns of a rows x columns array to it, bfloat16 */
  biasGradient(
    dbias: DeviceArray<"bfloat16">,
    dout: DeviceArray<"bfloat16">,
    named?: { rows?: number; columns?: number },
  ): Promise<DeviceArray<"bfloat16">>;
  /**
   * 3 x 3 convolution with zeros at the border, batch normalization with given means and variances, ReLU, and the
   * maximum of 2 x 2 pixels; floats
   */
  convBnReluPool(
    x: DeviceArray<"float32">,
    w: DeviceArray<"float32">,
    mean: DeviceArray<"float32">,
    variance: DeviceArray<"float32">,
    gamma: DeviceArray<"float32">,
    beta: DeviceArray<"float32">,
    named:
      | { images: number; input?: number; output?: number; height: number; width?: number; z?: DeviceArray<"float32"> }
      | { images: number; input?: number; output?: number; height?: number; width: number; z?: DeviceArray<"float32"> }
      | { images?: number; input?: number; output?: number; height: number; width: number; z?: DeviceArray<"float32"> },
  ): Promise<DeviceArray<"float32">>;
  /**
   * 3 x 3 convolution of images with zeros at the border: input channels x height x width each, output x input x 3 x 3
   * weights; floats
   */
  convolution2d(
    x: DeviceArray<"float32">,
    w: DeviceArray<"float32">,
    named:
      | { images: number; input: number; output?: number; height: number; width?: number; y?: DeviceArray<"float32"> }
      | { images: number; input?: number; output: number; height: number; width?: number; y?: DeviceArray<"float32"> }
      | { images: number; input: number; output?: number; height?: number; width: number; y?: DeviceArray<"float32"> }
      | { images: number; input?: number; output: number; height?: number; width: number; y?: DeviceArray<"float32"> }
      | { images: number; input?: number; output?: number; height: number; width: number; y?: DeviceArray<"float32"> }
      | { images?: number; input: number; output?: number; height: number; width: number; y?: DeviceArray<"float32"> }
      | { images?: number; input?: number; output: number; height: number; width: number; y?: DeviceArray<"float32"> },
  ): Promise<DeviceArray<"float32">>;
  /** gradient of cross entropy after softmax, added to the gradient of the logits; rows x classes floats */
  crossEntropyBackward(
    dlogits: DeviceArray<"float32">,
    dlosses: DeviceArray<"float32">,
    probabilities: DeviceArray<"float32">,
    targets: DeviceArray<"int32">,
    named?: { rows?: number; classes?: number },
  ): Promise<DeviceArray<"float32">>;
  /** cross entropy of each row: minus the logarithm of the target's probability; rows x classes floats */
  crossEntropyForward(
    probabilities: DeviceArray<"float32">,
    targets: DeviceArray<"int32">,
    named?: { rows?: number; classes?: number; losses?: DeviceArray<"float32"> },
  ): Promise<DeviceArray<"float32">>;
  /**
   * gradient of an embedding: adds the gradients of batch x time tokens, of columns floats each, to their words' and
   * their positions' vectors
   */
  encoderBackward(
    words: DeviceArray<"float32">,
    positions: DeviceArray<"float32">,
    dout: DeviceArray<"float32">,
    tokens: DeviceArray<"int32">,
    named:
      | { batch: number; time?: number; columns?: number; vocabulary?: number }
      | { batch?: number; time: number; columns?: number; vocabulary?: number }
      | { batch?: number; time?: number; columns: number; vocabulary?: number }
      | { batch?: number; time?: number; columns?: number; vocabulary: number },
  ): Promise<{ words: DeviceArray<"float32">; positions: DeviceArray<"float32"> }>;
  /**
   * embedding: for each of batch x time tokens the sum of its word's vector and its position's vector, of columns
   * bfloat16
   */
  encoderForward(
    tokens: DeviceArray<"int32">,
    words: DeviceArray<"bfloat16">,
    positions: DeviceArray<"bfloat16">,
    named:
      | { batch: number; time?: number; columns?: number; vocabulary?: number; out?: DeviceArray<"bfloat16"> }
      | { batch?: number; time: number; columns?: number; vocabulary?: number; out?: DeviceArray<"bfloat16"> }
      | { batch?: number; time?: number; columns: number; vocabulary?: number; out?: DeviceArray<"bfloat16"> }
      | { batch?: number; time?: number; columns?: number; vocabulary: number; out?: DeviceArray<"bfloat16"> },
  ): Promise<DeviceArray<"bfloat16">>;
  /**
   * discrete Fourier transforms: batch transforms of n complex numbers, each two floats; n is a power of 2 from 16 to
   * 4096
   */
  fft(
    x: DeviceArray<"float32">,
    named:
      | { n: number; batch?: number; y?: DeviceArray<"float32"> }
      | { n?: number; batch: number; y?: DeviceArray<"float32"> },
  ): Promise<DeviceArray<"float32">>;
  /**
   * sum of two rows x columns arrays of bfloat16, and layer normalization of each row with weight and bias; also
   * returns mean and 1 / deviation
   */
  fusedResidualLayernorm(
    a: DeviceArray<"bfloat16">,
    b: DeviceArray<"bfloat16">,
    weight: DeviceArray<"bfloat16">,
    bias: DeviceArray<"bfloat16">,
    named?: {
      rows?: number;
      columns?: number;
      residual?: DeviceArray<"bfloat16">;
      normed?: DeviceArray<"bfloat16">;
      mean?: DeviceArray<"float32">;
      rstd?: DeviceArray<"float32">;
    },
  ): Promise<{
    residual: DeviceArray<"bfloat16">;
    normed: DeviceArray<"bfloat16">;
    mean: DeviceArray<"float32">;
    rstd: DeviceArray<"float32">;
  }>;
  /**
   * a step of expectation maximisation: 32 Gaussians for n points of the unit square (x, y side by side), sorted by the
   * grid x grid cells that they lie in, with weights of the Gaussians for each cell, smoothed over the cells around it
   */
  gaussianMixture(
    points: DeviceArray<"float32">,
    starts: DeviceArray<"int32">,
    means: DeviceArray<"float32">,
    spreads: DeviceArray<"float32">,
    weights: DeviceArray<"float32">,
    named?: {
      n?: number;
      grid?: number;
      newMeans?: DeviceArray<"float32">;
      newSpreads?: DeviceArray<"float32">;
      newWeights?: DeviceArray<"float32">;
      likelihood?: DeviceArray<"float32">;
    },
  ): Promise<{
    newMeans: DeviceArray<"float32">;
    newSpreads: DeviceArray<"float32">;
    newWeights: DeviceArray<"float32">;
    likelihood: DeviceArray<"float32">;
  }>;
  /** gradient of the activation GELU (tanh form) for n bfloat16 */
  geluBackward(
    inp: DeviceArray<"bfloat16">,
    dout: DeviceArray<"bfloat16">,
    named?: { n?: number; dinp?: DeviceArray<"bfloat16"> },
  ): Promise<DeviceArray<"bfloat16">>;
  /** the activation GELU (tanh form) of n floats */
  geluForward(
    x: DeviceArray<"float32">,
    named?: { n?: number; y?: DeviceArray<"float32"> },
  ): Promise<DeviceArray<"float32">>;
  /** norm of n bfloat16: the root of the sum of their squares */
  globalNorm(
    x: DeviceArray<"bfloat16">,
    named?: { n?: number; norm?: DeviceArray<"float32"> },
  ): Promise<DeviceArray<"float32">>;
  /**
   * products of groups (experts): rows of A that belong to a group times that group's B, bfloat16; A is m x k, sorted
   * by group, B is groups x k x n; n and k are multiples of 8
   */
  groupedMatmul(
    a: DeviceArray<"bfloat16">,
    b: DeviceArray<"bfloat16">,
    ends: DeviceArray<"int32">,
    named:
      | { m: number; n?: number; k?: number; groups?: number; c?: DeviceArray<"bfloat16"> }
      | { m?: number; n: number; k?: number; groups?: number; c?: DeviceArray<"bfloat16"> }
      | { m?: number; n?: number; k: number; groups?: number; c?: DeviceArray<"bfloat16"> },
  ): Promise<DeviceArray<"bfloat16">>;
  /** counts how often each byte value occurs among n bytes; `different` is the number of different values */
  histogram(
    x: DeviceArray<"uint8">,
    named?: { n?: number; different?: number; bins?: DeviceArray<"uint32"> },
  ): Promise<DeviceArray<"uint32">>;
  /**
   * gradients of layer normalization, rows x columns bfloat16: adds to the gradients of the input, the weight and the
   * bias
   */
  layernormBackward(
    dinp: DeviceArray<"bfloat16">,
    dweight: DeviceArray<"bfloat16">,
    dbias: DeviceArray<"bfloat16">,
    dout: DeviceArray<"bfloat16">,
    inp: DeviceArray<"bfloat16">,
    weight: DeviceArray<"bfloat16">,
    mean: DeviceArray<"float32">,
    rstd: DeviceArray<"float32">,
    named?: { rows?: number; columns?: number },
  ): Promise<{ dinp: DeviceArray<"bfloat16">; dweight: DeviceArray<"bfloat16">; dbias: DeviceArray<"bfloat16"> }>;
  /**
   * layer normalization of each row with weight and bias, rows x columns floats; also returns mean and 1 / deviation
   */
  layernormForward(
    x: DeviceArray<"float32">,
    weight: DeviceArray<"float32">,
    bias: DeviceArray<"float32">,
    named?: {
      rows?: number;
      columns?: number;
      y?: DeviceArray<"float32">;
      mean?: DeviceArray<"float32">;
      rstd?: DeviceArray<"float32">;
    },
  ): Promise<{ y: DeviceArray<"float32">; mean: DeviceArray<"float32">; rstd: DeviceArray<"float32"> }>;
  /**
   * linear layer y = act(scale x w' + bias) + addend, bfloat16: x is m x k, w is n x k; gelu=1: act is GELU (tanh
   * form), else nothing; residual=1: an addend of m x n; n and k are multiples of 8
   */
  linear(
    x: DeviceArray<"bfloat16">,
    w: DeviceArray<"bfloat16">,
    bias: DeviceArray<"bfloat16">,
    addend: DeviceArray<"bfloat16">,
    scale: DeviceArray<"float32">,
    named: { m?: number; n?: number; k?: number; gelu: number; residual: number; y?: DeviceArray<"bfloat16"> },
  ): Promise<DeviceArray<"bfloat16">>;
  /** matrix product C = A B: A is m x k, B is k x n, bfloat16 by rows, sums in fp32; n and k are multiples of 8 */
  matmulBf16(
    a: DeviceArray<"bfloat16">,
    b: DeviceArray<"bfloat16">,
    named:
      | { m: number; n?: number; k?: number; c?: DeviceArray<"bfloat16"> }
      | { m?: number; n: number; k?: number; c?: DeviceArray<"bfloat16"> }
      | { m?: number; n?: number; k: number; c?: DeviceArray<"bfloat16"> },
  ): Promise<DeviceArray<"bfloat16">>;
  /** matrix product C = A B: A is m x k, B is k x n, floats by rows */
  matmulF32(
    a: DeviceArray<"float32">,
    b: DeviceArray<"float32">,
    named:
      | { m: number; n?: number; k?: number; c?: DeviceArray<"float32"> }
      | { m?: number; n: number; k?: number; c?: DeviceArray<"float32"> }
      | { m?: number; n?: number; k: number; c?: DeviceArray<"float32"> },
  ): Promise<DeviceArray<"float32">>;
  /**
   * matrix product C = scale A B': A is m x k and B is n x k, e4m3 by rows; C is bfloat16; k is a multiple of 16, n of
   * 8
   */
  matmulFp8(
    a: DeviceArray<"uint8">,
    b: DeviceArray<"uint8">,
    scale: DeviceArray<"float32">,
    named:
      | { m: number; n?: number; k?: number; c?: DeviceArray<"bfloat16"> }
      | { m?: number; n: number; k?: number; c?: DeviceArray<"bfloat16"> }
      | { m?: number; n?: number; k: number; c?: DeviceArray<"bfloat16"> },
  ): Promise<DeviceArray<"bfloat16">>;
  /**
   * a layer of a mixture of experts: y = sum of softmax(logits) x w over each token's `top` experts, bfloat16; x is
   * tokens x k, w is experts x k x n; n and k are multiples of 8
   */
  moeLayer(
    logits: DeviceArray<"float32">,
    x: DeviceArray<"bfloat16">,
    w: DeviceArray<"bfloat16">,
    named:
      | { tokens: number; experts?: number; top: number; n?: number; k?: number; y?: DeviceArray<"bfloat16"> }
      | { tokens?: number; experts: number; top: number; n?: number; k?: number; y?: DeviceArray<"bfloat16"> }
      | { tokens?: number; experts?: number; top: number; n?: number; k: number; y?: DeviceArray<"bfloat16"> },
  ): Promise<DeviceArray<"bfloat16">>;
  /**
   * routing of a mixture of experts: the weights (softmax) and numbers of each token's `top` experts, where each
   * expert's rows end, the place of each choice, and the tokens' rows, bfloat16, by expert; hidden is a multiple of 8
   */
  moeRouting(
    logits: DeviceArray<"float32">,
    x: DeviceArray<"bfloat16">,
    named:
      | {
          tokens: number;
          experts?: number;
          top: number;
          hidden?: number;
          normalized: number;
          weights?: DeviceArray<"float32">;
          chosen?: DeviceArray<"int32">;
          ends?: DeviceArray<"int32">;
          places?: DeviceArray<"int32">;
          rows?: DeviceArray<"bfloat16">;
        }
      | {
          tokens?: number;
          experts: number;
          top: number;
          hidden?: number;
          normalized: number;
          weights?: DeviceArray<"float32">;
          chosen?: DeviceArray<"int32">;
          ends?: DeviceArray<"int32">;
          places?: DeviceArray<"int32">;
          rows?: DeviceArray<"bfloat16">;
        }
      | {
          tokens?: number;
          experts?: number;
          top: number;
          hidden: number;
          normalized: number;
          weights?: DeviceArray<"float32">;
          chosen?: DeviceArray<"int32">;
          ends?: DeviceArray<"int32">;
          places?: DeviceArray<"int32">;
          rows?: DeviceArray<"bfloat16">;
        },
  ): Promise<{
    weights: DeviceArray<"float32">;
    chosen: DeviceArray<"int32">;
    ends: DeviceArray<"int32">;
    places: DeviceArray<"int32">;
    rows: DeviceArray<"bfloat16">;
  }>;
  /**
   * paged decode attention: one query of 128 bfloat16 for each head and sequence, keys and values in pages of 16 tokens
   * that a table names; heads / kvHeads queries share keys
   */
  pagedAttention(
    q: DeviceArray<"bfloat16">,
    k: DeviceArray<"bfloat16">,
    v: DeviceArray<"bfloat16">,
    table: DeviceArray<"int32">,
    lengths: DeviceArray<"int32">,
    named?: { batch?: number; heads?: number; kvHeads?: number; pages?: number; o?: DeviceArray<"bfloat16"> },
  ): Promise<DeviceArray<"bfloat16">>;
  /** reorders four axes: y[i4][i3][i1][i2] = x[i1][i2][i3][i4], d1 x d2 x d3 x d4 floats */
  permute(
    x: DeviceArray<"float32">,
    named:
      | { d1: number; d2: number; d3: number; d4?: number; y?: DeviceArray<"float32"> }
      | { d1: number; d2: number; d3?: number; d4: number; y?: DeviceArray<"float32"> }
      | { d1: number; d2?: number; d3: number; d4: number; y?: DeviceArray<"float32"> }
      | { d1?: number; d2: number; d3: number; d4: number; y?: DeviceArray<"float32"> },
  ): Promise<DeviceArray<"float32">>;
  /** the sum of n floats */
  reduction(
    x: DeviceArray<"float32">,
    named?: { n?: number; sum?: DeviceArray<"float32"> },
  ): Promise<DeviceArray<"float32">>;
  /** residual connection: the sum of two arrays of n bfloat16 */
  residualForward(
    a: DeviceArray<"bfloat16">,
    b: DeviceArray<"bfloat16">,
    named?: { n?: number; out?: DeviceArray<"bfloat16"> },
  ): Promise<DeviceArray<"bfloat16">>;
  /** inclusive prefix sums of n integers */
  scan(x: DeviceArray<"int32">, named?: { n?: number; y?: DeviceArray<"int32"> }): Promise<DeviceArray<"int32">>;
  /**
   * selective scan (Mamba): h = exp(step a) h + step b u along the sequence, y = (sum(c h) + d u) z sigmoid(z), with
   * step = softplus(delta + bias); 16 numbers of state, bfloat16; length is a multiple of 8
   */
  selectiveScan(
    u: DeviceArray<"bfloat16">,
    delta: DeviceArray<"bfloat16">,
    z: DeviceArray<"bfloat16">,
    a: DeviceArray<"float32">,
    b: DeviceArray<"bfloat16">,
    c: DeviceArray<"bfloat16">,
    d: DeviceArray<"float32">,
    bias: DeviceArray<"float32">,
    named:
      | { batch: number; dim?: number; length?: number; y?: DeviceArray<"bfloat16"> }
      | { batch?: number; dim?: number; length: number; y?: DeviceArray<"bfloat16"> },
  ): Promise<DeviceArray<"bfloat16">>;
  /**
   * gradients of the selective scan (Mamba) from the gradient gy of its output: of u, delta and z (bfloat16), and of a,
   * b, c, d and bias (float32); 16 numbers of state, length is a multiple of 8
   */
  selectiveScanBackward(
    u: DeviceArray<"bfloat16">,
    delta: DeviceArray<"bfloat16">,
    z: DeviceArray<"bfloat16">,
    a: DeviceArray<"float32">,
    b: DeviceArray<"bfloat16">,
    c: DeviceArray<"bfloat16">,
    d: DeviceArray<"float32">,
    bias: DeviceArray<"float32">,
    gy: DeviceArray<"bfloat16">,
    named:
      | {
          batch: number;
          dim?: number;
          length?: number;
          gu?: DeviceArray<"bfloat16">;
          gdelta?: DeviceArray<"bfloat16">;
          gz?: DeviceArray<"bfloat16">;
          ga?: DeviceArray<"float32">;
          gb?: DeviceArray<"float32">;
          gc?: DeviceArray<"float32">;
          gd?: DeviceArray<"float32">;
          gbias?: DeviceArray<"float32">;
        }
      | {
          batch?: number;
          dim?: number;
          length: number;
          gu?: DeviceArray<"bfloat16">;
          gdelta?: DeviceArray<"bfloat16">;
          gz?: DeviceArray<"bfloat16">;
          ga?: DeviceArray<"float32">;
          gb?: DeviceArray<"float32">;
          gc?: DeviceArray<"float32">;
          gd?: DeviceArray<"float32">;
          gbias?: DeviceArray<"float32">;
        },
  ): Promise<{
    gu: DeviceArray<"bfloat16">;
    gdelta: DeviceArray<"bfloat16">;
    gz: DeviceArray<"bfloat16">;
    ga: DeviceArray<"float32">;
    gb: DeviceArray<"float32">;
    gc: DeviceArray<"float32">;
    gd: DeviceArray<"float32">;
    gbias: DeviceArray<"float32">;
  }>;
  /** softmax of each row, rows x columns floats */
  softmax(
    x: DeviceArray<"float32">,
    named:
      | { rows: number; columns?: number; y?: DeviceArray<"float32"> }
      | { rows?: number; columns: number; y?: DeviceArray<"float32"> },
  ): Promise<DeviceArray<"float32">>;
  /** softmax, cross entropy and its gradient in one: the loss and the gradient of rows x classes logits, floats */
  softmaxCrossEntropy(
    logits: DeviceArray<"float32">,
    dlosses: DeviceArray<"float32">,
    targets: DeviceArray<"int32">,
    named: { rows?: number; classes: number; losses?: DeviceArray<"float32">; dlogits?: DeviceArray<"float32"> },
  ): Promise<{ losses: DeviceArray<"float32">; dlogits: DeviceArray<"float32"> }>;
  /** transposes a matrix: y = x transposed, rows x columns floats */
  transpose(
    x: DeviceArray<"float32">,
    named:
      | { rows: number; columns?: number; y?: DeviceArray<"float32"> }
      | { rows?: number; columns: number; y?: DeviceArray<"float32"> },
  ): Promise<DeviceArray<"float32">>;
  /** adds two arrays: c = a + b */
  vectorAdd(
    a: DeviceArray<"float32">,
    b: DeviceArray<"float32">,
    named?: { n?: number; c?: DeviceArray<"float32"> },
  ): Promise<DeviceArray<"float32">>;
}
