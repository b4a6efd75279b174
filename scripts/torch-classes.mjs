// Names of the classes and functions of PyTorch that docs/modules.md is compared with, by PyTorch's module.
const numbered = (name, from = 1) => [1, 2, 3].filter((n) => n >= from).map((n) => `${name}${n}d`);
const names = (text) => text.trim().split(/\s+/);

export const TORCH_CLASSES = {
  nn: [
    ...names("Module Sequential ModuleList ModuleDict ParameterList ParameterDict Identity Linear Bilinear Flatten"),
    ...names("Unflatten Embedding EmbeddingBag Unfold Fold"),
    ...["Conv", "ConvTranspose", "MaxPool", "MaxUnpool", "AvgPool", "LPPool"].flatMap((name) => numbered(name)),
    ...["AdaptiveMaxPool", "AdaptiveAvgPool", "ReflectionPad", "ReplicationPad"].flatMap((name) => numbered(name)),
    ...["ZeroPad", "ConstantPad", "CircularPad", "BatchNorm", "InstanceNorm"].flatMap((name) => numbered(name)),
    ...numbered("FractionalMaxPool", 2),
    ...names("Dropout Dropout1d Dropout2d Dropout3d AlphaDropout FeatureAlphaDropout GroupNorm LayerNorm RMSNorm"),
    ...names("LocalResponseNorm SyncBatchNorm ELU Hardshrink Hardsigmoid Hardtanh Hardswish LeakyReLU LogSigmoid"),
    ...names("PReLU ReLU ReLU6 RReLU SELU CELU GELU Sigmoid SiLU Mish Softplus Softshrink Softsign Tanh Tanhshrink"),
    ...names("Threshold GLU Softmin Softmax Softmax2d LogSoftmax AdaptiveLogSoftmaxWithLoss RNN LSTM GRU RNNCell"),
    ...names("LSTMCell GRUCell MultiheadAttention Transformer TransformerEncoder TransformerEncoderLayer"),
    ...names("TransformerDecoder TransformerDecoderLayer CosineSimilarity PairwiseDistance L1Loss MSELoss"),
    ...names("CrossEntropyLoss CTCLoss NLLLoss PoissonNLLLoss GaussianNLLLoss KLDivLoss BCELoss BCEWithLogitsLoss"),
    ...names("MarginRankingLoss HingeEmbeddingLoss MultiLabelMarginLoss HuberLoss SmoothL1Loss SoftMarginLoss"),
    ...names("MultiLabelSoftMarginLoss CosineEmbeddingLoss MultiMarginLoss TripletMarginLoss PixelShuffle"),
    ...names("TripletMarginWithDistanceLoss PixelUnshuffle ChannelShuffle Upsample UpsamplingNearest2d"),
    ...names("UpsamplingBilinear2d"),
  ],
  optim: names("Adadelta Adafactor Adagrad Adam AdamW Adamax ASGD LBFGS NAdam RAdam RMSprop Rprop SGD SparseAdam"),
  lrScheduler: [
    ...names("LRScheduler LambdaLR MultiplicativeLR StepLR MultiStepLR ConstantLR LinearLR ExponentialLR PolynomialLR"),
    ...names("CosineAnnealingLR ChainedScheduler SequentialLR ReduceLROnPlateau CyclicLR OneCycleLR"),
    ...names("CosineAnnealingWarmRestarts"),
  ],
  data: [
    ...names("TensorDataset IterableDataset StackDataset ConcatDataset ChainDataset Subset DataLoader"),
    ...names("WeightedRandomSampler SubsetRandomSampler BatchSampler DistributedSampler randomSplit defaultCollate"),
  ],
  init: [
    ...names("uniform_ normal_ constant_ ones_ zeros_ eye_ dirac_ xavierUniform_ xavierNormal_ kaimingUniform_"),
    ...names("kaimingNormal_ truncNormal_ orthogonal_ sparse_ calculateGain"),
  ],
};

/** Modules that are a function of another name. */
const FUNCTIONS = [
  [/^Upsampl/, "interpolate"],
  [/^(Reflection|Replication|Zero|Constant|Circular)Pad/, "pad"],
];

/** The function of `functional` that does what a module of PyTorch does; undefined if there is none. */
export function functionOf(module, functions) {
  const named = FUNCTIONS.find(([pattern]) => pattern.test(module));
  if (named !== undefined) return named[1];
  const same = (name) => functions.find((one) => one.toLowerCase() === name.toLowerCase());
  return same(module) ?? same(module.replace(/[123]d$/, ""));
}
