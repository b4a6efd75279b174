/**
 * The ladders in kernels/ as functions. Written by scripts/make-kernel-types.mjs (npm run docs); what they do and how
 * they are called: src/kernel-library/kernels-node.ts.
 */
import type { DeviceArray } from "../library/device-array.ts";

export interface HeddleKernels {
  /** one step of AdamW for n parameters, which changes them and both moments in place */
  adamw(
    params: DeviceArray<"float32">,
    grads: DeviceArray<"float32">,
    m: DeviceArray<"float32">,
    v: DeviceArray<"float32">,
    named?: { n?: number },
  ): Promise<{ params: DeviceArray<"float32">; m: DeviceArray<"float32">; v: DeviceArray<"float32"> }>;
  /**
   * o = softmax(q k' / sqrt(128)) v for each of batch x heads, in which q, k, v and o are length x 128 bfloat16;
   * causal=1: without keys after the query's own
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
   * causal attention of floats in the order of a training program: qkv is batch x length x (query, key, value) x heads
   * x 64, out is batch x length x heads x 64
   */
  attentionForwardPacked(
    qkv: DeviceArray<"float32">,
    named:
      | { batch: number; heads: number; length?: number; out?: DeviceArray<"float32"> }
      | { batch: number; heads?: number; length: number; out?: DeviceArray<"float32"> }
      | { batch?: number; heads: number; length: number; out?: DeviceArray<"float32"> },
  ): Promise<DeviceArray<"float32">>;
  /** gradient of a bias: the sums over the rows of rows x columns bfloat16, added to what is there */
  biasGradient(
    dbias: DeviceArray<"bfloat16">,
    dout: DeviceArray<"bfloat16">,
    named?: { rows?: number; columns?: number },
  ): Promise<DeviceArray<"bfloat16">>;
  /**
   * 3 x 3 convolution with a border of zeros, batch normalization with given means and variances (as in inference), the
   * maximum with zero, and of each 2 x 2 pixels; floats
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
   * 3 x 3 convolutions with a border of zeros: of images, input x height x width each, with output x input x 3 x 3
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
  /**
   * gradient of cross entropy after softmax, added to that of the logits: the probabilities without the target's 1,
   * times the loss's gradient, rows x classes floats
   */
  crossEntropyBackward(
    dlogits: DeviceArray<"float32">,
    dlosses: DeviceArray<"float32">,
    probabilities: DeviceArray<"float32">,
    targets: DeviceArray<"int32">,
    named?: { rows?: number; classes?: number },
  ): Promise<DeviceArray<"float32">>;
  /** cross entropy: minus the logarithm of the target's probability, for each of rows x classes floats */
  crossEntropyForward(
    probabilities: DeviceArray<"float32">,
    targets: DeviceArray<"int32">,
    named?: { rows?: number; classes?: number; losses?: DeviceArray<"float32"> },
  ): Promise<DeviceArray<"float32">>;
  /**
   * gradients of an embedding: those of batch x time tokens, of columns floats each, are added to their words' vectors
   * and to their positions'
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
  /** embedding: for each of batch x time tokens its word's vector of columns bfloat16 and its position's, added */
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
   * discrete Fourier transforms of batch times n complex numbers, each two floats; n is a power of 2 from 16 to 4096
   */
  fft(
    x: DeviceArray<"float32">,
    named:
      | { n: number; batch?: number; y?: DeviceArray<"float32"> }
      | { n?: number; batch: number; y?: DeviceArray<"float32"> },
  ): Promise<DeviceArray<"float32">>;
  /**
   * sum of two arrays of rows x columns bfloat16, and the layer normalization of each of its rows, with weight and
   * bias; mean and 1 / deviation are kept
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
  /** gradient of GELU by tanh, of n bfloat16 */
  geluBackward(
    inp: DeviceArray<"bfloat16">,
    dout: DeviceArray<"bfloat16">,
    named?: { n?: number; dinp?: DeviceArray<"bfloat16"> },
  ): Promise<DeviceArray<"bfloat16">>;
  /** GELU by tanh of n floats */
  geluForward(
    x: DeviceArray<"float32">,
    named?: { n?: number; y?: DeviceArray<"float32"> },
  ): Promise<DeviceArray<"float32">>;
  /** norm of n bfloat16: the root of the sum of their squares */
  globalNorm(
    x: DeviceArray<"bfloat16">,
    named?: { n?: number; norm?: DeviceArray<"float32"> },
  ): Promise<DeviceArray<"float32">>;
  /** how often each byte occurs in n, of which so many are different */
  histogram(
    x: DeviceArray<"uint8">,
    named?: { n?: number; different?: number; bins?: DeviceArray<"uint32"> },
  ): Promise<DeviceArray<"uint32">>;
  /**
   * gradients of layer normalization of rows x columns bfloat16, added to those that are there: of the input, the
   * weight and the bias
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
  /** layer normalization of each of rows x columns floats, with weight and bias; mean and 1 / deviation are kept */
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
  /** C = A B, with A m x k and B k x n, bfloat16 by rows with sums in fp32; n and k are multiples of 8 */
  matmulBf16(
    a: DeviceArray<"bfloat16">,
    b: DeviceArray<"bfloat16">,
    named:
      | { m: number; n?: number; k?: number; c?: DeviceArray<"bfloat16"> }
      | { m?: number; n: number; k?: number; c?: DeviceArray<"bfloat16"> }
      | { m?: number; n?: number; k: number; c?: DeviceArray<"bfloat16"> },
  ): Promise<DeviceArray<"bfloat16">>;
  /** C = A B, with A m x k and B k x n, floats by rows */
  matmulF32(
    a: DeviceArray<"float32">,
    b: DeviceArray<"float32">,
    named:
      | { m: number; n?: number; k?: number; c?: DeviceArray<"float32"> }
      | { m?: number; n: number; k?: number; c?: DeviceArray<"float32"> }
      | { m?: number; n?: number; k: number; c?: DeviceArray<"float32"> },
  ): Promise<DeviceArray<"float32">>;
  /** y[i4][i3][i1][i2] = x[i1][i2][i3][i4], of d1 x d2 x d3 x d4 floats */
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
  /** inclusive sums of n integers */
  scan(x: DeviceArray<"int32">, named?: { n?: number; y?: DeviceArray<"int32"> }): Promise<DeviceArray<"int32">>;
  /** softmax of each of rows x columns floats */
  softmax(
    x: DeviceArray<"float32">,
    named:
      | { rows: number; columns?: number; y?: DeviceArray<"float32"> }
      | { rows?: number; columns: number; y?: DeviceArray<"float32"> },
  ): Promise<DeviceArray<"float32">>;
  /**
   * softmax, cross entropy and its gradient in one: from rows of logits, of classes floats each, the loss and the
   * gradient of the logits
   */
  softmaxCrossEntropy(
    logits: DeviceArray<"float32">,
    dlosses: DeviceArray<"float32">,
    targets: DeviceArray<"int32">,
    named: { rows?: number; classes: number; losses?: DeviceArray<"float32">; dlogits?: DeviceArray<"float32"> },
  ): Promise<{ losses: DeviceArray<"float32">; dlogits: DeviceArray<"float32"> }>;
  /** y = x transposed, rows x columns floats */
  transpose(
    x: DeviceArray<"float32">,
    named:
      | { rows: number; columns?: number; y?: DeviceArray<"float32"> }
      | { rows?: number; columns: number; y?: DeviceArray<"float32"> },
  ): Promise<DeviceArray<"float32">>;
  /** c = a + b */
  vectorAdd(
    a: DeviceArray<"float32">,
    b: DeviceArray<"float32">,
    named?: { n?: number; c?: DeviceArray<"float32"> },
  ): Promise<DeviceArray<"float32">>;
}
