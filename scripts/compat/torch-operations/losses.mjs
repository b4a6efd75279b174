// Losses: what each of PyTorch's is here.
import { F, Unasked, add, given, session } from "./helpers.mjs";

// Losses.
const old = ({ size_average, reduce }) => {
  if (size_average != null || reduce != null) throw new Unasked("size_average, reduce");
};
const loss = (name, own, parameters, call) =>
  add(`nn.functional.${name}`, parameters, (args) => {
    old(args);
    return call(F[own], args);
  });
loss("mse_loss", "mseLoss", "x y size_average reduce reduction", (f, { x, y, reduction }) =>
  f(x, y, given({ reduction })),
);
loss("l1_loss", "l1Loss", "x y size_average reduce reduction", (f, { x, y, reduction }) =>
  f(x, y, given({ reduction })),
);
loss("smooth_l1_loss", "smoothL1Loss", "x y size_average reduce reduction beta", (f, { x, y, reduction, beta }) =>
  f(x, y, given({ reduction, beta })),
);
loss("huber_loss", "huberLoss", "x y reduction delta", (f, { x, y, reduction, delta }) =>
  f(x, y, given({ reduction, delta })),
);
loss("soft_margin_loss", "softMarginLoss", "x y size_average reduce reduction", (f, { x, y, reduction }) =>
  f(x, y, given({ reduction })),
);
loss(
  "binary_cross_entropy",
  "binaryCrossEntropy",
  "x y weight size_average reduce reduction",
  (f, { x, y, weight, reduction }) => f(x, y, given({ weight, reduction })),
);
loss(
  "binary_cross_entropy_with_logits",
  "binaryCrossEntropyWithLogits",
  "x y weight size_average reduce reduction pos_weight",
  (f, { x, y, weight, reduction, pos_weight }) => f(x, y, given({ weight, reduction, posWeight: pos_weight })),
);
loss(
  "nll_loss",
  "nllLoss",
  "x y weight size_average ignore_index reduce reduction",
  (f, { x, y, weight, ignore_index, reduction }) => f(x, y, given({ weight, ignoreIndex: ignore_index, reduction })),
);
loss(
  "cross_entropy",
  "crossEntropy",
  "x y weight size_average ignore_index reduce reduction label_smoothing",
  (f, { x, y, weight, ignore_index, reduction, label_smoothing }) =>
    f(x, y, given({ weight, ignoreIndex: ignore_index, reduction, labelSmoothing: label_smoothing })),
);
loss("kl_div", "klDiv", "x y size_average reduce reduction log_target", (f, { x, y, reduction, log_target }) =>
  f(x, y, given({ reduction, logTarget: log_target })),
);
loss(
  "margin_ranking_loss",
  "marginRankingLoss",
  "a b y margin size_average reduce reduction",
  (f, { a, b, y, margin, reduction }) => f(a, b, y, given({ margin, reduction })),
);
loss(
  "hinge_embedding_loss",
  "hingeEmbeddingLoss",
  "x y margin size_average reduce reduction",
  (f, { x, y, margin, reduction }) => f(x, y, given({ margin, reduction })),
);
loss(
  "cosine_embedding_loss",
  "cosineEmbeddingLoss",
  "a b y margin size_average reduce reduction",
  (f, { a, b, y, margin, reduction }) => f(a, b, y, given({ margin, reduction })),
);
loss(
  "triplet_margin_loss",
  "tripletMarginLoss",
  "a b c margin p eps swap size_average reduce reduction",
  (f, { a, b, c, margin, p, eps, swap, reduction }) => f(a, b, c, given({ margin, p, eps, swap, reduction })),
);
loss(
  "poisson_nll_loss",
  "poissonNllLoss",
  "x y log_input full size_average eps reduce reduction",
  (f, { x, y, log_input, full, eps, reduction }) => f(x, y, given({ logInput: log_input, full, eps, reduction })),
);
loss("gaussian_nll_loss", "gaussianNllLoss", "x y v full eps reduction", (f, { x, y, v, full, eps, reduction }) =>
  f(x, y, typeof v === "number" ? session.torch.fullLike(x, v) : v, given({ full, eps, reduction })),
);
loss("pairwise_distance", "pairwiseDistance", "a b p eps keepdim", (f, { a, b, p, eps, keepdim }) =>
  f(a, b, given({ p, eps, keepdim })),
);
loss("cosine_similarity", "cosineSimilarity", "a b dim eps", (f, { a, b, dim, eps }) => f(a, b, given({ dim, eps })));
