/** cuDNN: kernels of Heddle's own, and NVIDIA's library on a GPU whose user has it. */
import { manifest, type LibraryManifest } from "./manifest.ts";

export const CUDNN: LibraryManifest = manifest({
  name: "cudnn",
  title: "cuDNN",
  linkNames: ["cudnn", "cudnn_static", "cudnn_ops", "cudnn_cnn", "cudnn_adv", "cudnn_graph"]
    .concat(["cudnn_engines_compiled", "cudnn_ops_infer", "cudnn_ops_train", "cudnn_cnn_infer", "cudnn_cnn_train"])
    .concat(["cudnn_adv_infer", "cudnn_adv_train"]),
  headers: ["cudnn.h"],
  innerHeaders: ["cudnn_version.h", "cudnn_graph.h", "cudnn_backend.h", "cudnn_ops.h", "cudnn_cnn.h", "cudnn_adv.h"]
    .concat(["cudnn_ops_infer.h", "cudnn_ops_train.h", "cudnn_cnn_infer.h", "cudnn_cnn_train.h"])
    .concat(["cudnn_adv_infer.h", "cudnn_adv_train.h", "cudnn_v7.h", "cudnn_v8.h", "cudnn_v9.h"]),
  symbolPrefix: "cudnn",
  sources: {
    folder: "libraries/dnn",
    units: ["core.cpp"],
    parts: {
      "convolution.cu": [
        "cudnnConvolution…",
        "cudnnFindConvolution…",
        "cudnnGetConvolutionForwardAlgorithm…",
        "cudnnGetConvolutionForwardWorkspaceSize",
        "cudnnGetConvolutionBackward…",
        "cudnnReorderFilterAndBias",
        "cudnnBackend…",
      ],
      "backend.cu": ["cudnnBackend…"],
      "pointwise.cu": [
        "cudnnActivationForward",
        "cudnnActivationBackward",
        "cudnnAddTensor",
        "cudnnOpTensor",
        "cudnnTransformTensor",
        "cudnnSetTensor",
        "cudnnScaleTensor",
        "cudnnDropoutForward",
        "cudnnDropoutBackward",
      ],
      "pooling.cu": ["cudnnPoolingForward", "cudnnPoolingBackward"],
      "softmax.cu": ["cudnnSoftmaxForward", "cudnnSoftmaxBackward"],
      "reduction.cu": ["cudnnReduceTensor", "cudnnGetReductionIndicesSize", "cudnnGetReductionWorkspaceSize"],
      "normalization.cu": [
        "cudnnBatchNormalization…",
        "cudnnGetBatchNormalization…",
        "cudnnNormalization…",
        "cudnnGetNormalization…",
        "cudnnLRNCrossChannel…",
      ],
      "rnn.cu": ["cudnnCreateRNNDescriptor", "cudnnCreateRNNDataDescriptor"],
      "ctc.cu": ["cudnnCreateCTCLossDescriptor"],
      "attention.cu": ["cudnnCreateAttnDescriptor", "cudnnCreateSeqDataDescriptor"],
      "fused.cu": ["cudnnCreateFusedOps…"],
      "transforms.cu": ["cudnnCreateTensorTransformDescriptor", "cudnnIm2Col"],
      "spatial.cu": ["cudnnCreateSpatialTransformerDescriptor", "cudnnDivisiveNormalization…"],
    },
    linked: "when-called",
  },
  wrongCalls: {
    1001: "CUDNN_STATUS_NOT_INITIALIZED",
    2000: "CUDNN_STATUS_BAD_PARAM",
    2002: "CUDNN_STATUS_BAD_PARAM_NULL_POINTER",
    2006: "CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT",
  },
  vendor: {
    files: { linux: ["libcudnn.so.9"], win32: ["cudnn64_9.dll"] },
    comesWith: "toolkit",
    handles: [
      { kind: "plain", create: "cudnnCreate", destroy: "cudnnDestroy" },
      ...["Tensor", "Filter", "Convolution", "Pooling", "Activation", "LRN", "OpTensor", "ReduceTensor"]
        .concat(["TensorTransform", "SpatialTransformer"])
        .map(
          (name) =>
            ({
              kind: "plan",
              create: [`cudnnCreate${name}Descriptor`],
              destroy: `cudnnDestroy${name}Descriptor`,
            }) as const,
        ),
    ],
  },
  has:
    "convolutions, pooling, activations, softmax, normalization, dropout, operations and reductions of tensors, " +
    "recurrent networks, multi-head attention, CTC losses, spatial transformers, and the graph API",
  lacks:
    "of the graph API: block scales, group norms, interpolation, norms and signals over several devices; dropout " +
    "within cudnnMultiHeadAttn…; fused operations but for the statistics of batch normalizations",
});
