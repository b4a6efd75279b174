// Layers: what each of PyTorch's is here.
import { F, Unasked, add, given, list, pair } from "./helpers.mjs";

// Layers.
for (const n of [1, 2, 3]) {
  add(`nn.functional.conv${n}d`, "x w bias stride padding dilation groups", ({ x, w, ...options }) =>
    F[`conv${n}d`](x, w, given(options)),
  );
  add(
    `nn.functional.conv_transpose${n}d`,
    "x w bias stride padding output_padding groups dilation",
    ({ x, w, output_padding, ...options }) =>
      F[`convTranspose${n}d`](x, w, given({ ...options, outputPadding: output_padding })),
  );
  add(
    `nn.functional.max_pool${n}d`,
    "x kernel_size stride padding dilation ceil_mode return_indices",
    ({ x, kernel_size, stride, padding, dilation, ceil_mode, return_indices }) => {
      const options = given({ stride: stride ?? undefined, padding, dilation, ceilMode: ceil_mode });
      return return_indices
        ? pair(F[`maxPool${n}dWithIndices`](x, kernel_size, options))
        : F[`maxPool${n}d`](x, kernel_size, options);
    },
  );
  add(
    `nn.functional.avg_pool${n}d`,
    "x kernel_size stride padding ceil_mode count_include_pad divisor_override",
    ({ x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override }) =>
      F[`avgPool${n}d`](
        x,
        kernel_size,
        given({
          stride: list(stride).length === 0 ? undefined : (stride ?? undefined),
          padding,
          ceilMode: ceil_mode,
          countIncludePad: count_include_pad,
          divisorOverride: divisor_override,
        }),
      ),
  );
  add(`nn.functional.adaptive_avg_pool${n}d`, "x output_size", ({ x, output_size }) =>
    F[`adaptiveAvgPool${n}d`](x, output_size),
  );
  add(`nn.functional.adaptive_max_pool${n}d`, "x output_size return_indices", ({ x, output_size }) =>
    pair(F[`adaptiveMaxPool${n}dWithIndices`](x, output_size)),
  );
  add(
    `nn.functional.max_unpool${n}d`,
    "x indices kernel_size stride padding output_size",
    ({ x, indices, kernel_size, stride, padding, output_size }) =>
      F[`maxUnpool${n}d`](
        x,
        indices,
        kernel_size,
        given({ stride: stride ?? undefined, padding, outputSize: output_size ?? undefined }),
      ),
  );
}
add("nn.functional.linear", "x w bias", ({ x, w, bias }) => F.linear(x, w, bias ?? null));
add("nn.functional.bilinear", "a b w bias", ({ a, b, w, bias }) => F.bilinear(a, b, w, bias ?? null));
add(
  "nn.functional.embedding",
  "w indices padding_idx max_norm norm_type scale_grad_by_freq sparse",
  ({ indices, w, padding_idx, max_norm, scale_grad_by_freq }) => {
    if (max_norm != null || scale_grad_by_freq) throw new Unasked("max_norm, scale_grad_by_freq");
    return F.embedding(indices, w, { paddingIdx: padding_idx ?? null });
  },
);
const affine = (options) =>
  given({
    weight: options.weight ?? undefined,
    bias: options.bias ?? undefined,
    eps: options.eps,
    training: options.training,
    momentum: options.momentum,
  });
for (const name of ["nn.functional.batch_norm", "nn.functional.batch_norm#without_cudnn"])
  add(
    name,
    "x running_mean running_var weight bias training momentum eps",
    ({ x, running_mean, running_var, ...options }) =>
      F.batchNorm(x, running_mean ?? null, running_var ?? null, affine(options)),
  );
add(
  "nn.functional.instance_norm",
  "x running_mean running_var weight bias use_input_stats momentum eps",
  ({ x, running_mean, running_var, use_input_stats, ...options }) =>
    F.instanceNorm(x, {
      ...affine(options),
      ...given({ runningMean: running_mean, runningVar: running_var, useInputStats: use_input_stats }),
    }),
);
add("nn.functional.group_norm", "x groups weight bias eps", ({ x, groups, ...options }) =>
  F.groupNorm(x, groups, affine(options)),
);
add("nn.functional.layer_norm", "x shape weight bias eps", ({ x, shape, ...options }) =>
  F.layerNorm(x, shape, affine(options)),
);
add("nn.functional.rms_norm", "x shape weight eps", ({ x, shape, weight, eps }) =>
  F.rmsNorm(x, shape, given({ weight, eps })),
);
add("nn.functional.normalize", "x p dim eps", ({ x, p, dim, eps }) => F.normalize(x, given({ p, dim, eps })));
for (const mode of ["constant", "reflect", "replicate", "replicate_negative", "circular"])
  add(`nn.functional.pad#${mode}`, "x padding mode value", ({ x, padding, mode: own, value }) =>
    F.pad(x, padding, given({ mode: own, value: value ?? undefined })),
  );
add("constant_pad_nd", "x padding value", ({ x, padding, value }) => F.pad(x, padding, given({ value })));
add("nn.functional.unfold", "x kernel_size dilation padding stride", ({ x, kernel_size, ...options }) =>
  F.unfold(x, kernel_size, given(options)),
);
for (const mode of ["nearest", "nearest-exact", "linear", "bilinear", "bicubic", "trilinear", "area"])
  add(
    `nn.functional.interpolate#${mode}`,
    "x size scale_factor mode align_corners recompute_scale_factor antialias",
    ({ x, size, scale_factor, mode: own, align_corners, recompute_scale_factor, antialias }) => {
      if (antialias) throw new Unasked("antialias");
      return F.interpolate(
        x,
        given({
          size: size ?? undefined,
          scaleFactor: scale_factor ?? undefined,
          mode: own ?? mode,
          alignCorners: align_corners ?? undefined,
          recomputeScaleFactor: recompute_scale_factor ?? undefined,
        }),
      );
    },
  );
add("nn.functional.pixel_shuffle", "x upscale_factor", ({ x, upscale_factor: by }) => F.pixelShuffle(x, by));
add("nn.functional.pixel_unshuffle", "x downscale_factor", ({ x, downscale_factor: by }) => F.pixelUnshuffle(x, by));
add(
  "nn.functional.scaled_dot_product_attention",
  "q k v attn_mask dropout_p is_causal scale enable_gqa",
  ({ q, k, v, attn_mask, dropout_p, is_causal, scale, enable_gqa }) => {
    if (dropout_p) throw new Unasked("dropout");
    return F.scaledDotProductAttention(
      q,
      k,
      v,
      given({ attnMask: attn_mask, isCausal: is_causal, scale, enableGqa: enable_gqa }),
    );
  },
);
add(
  "nn.functional.grid_sample",
  "x grid mode padding_mode align_corners",
  ({ x, grid, mode, padding_mode, align_corners }) =>
    F.gridSample(x, grid, given({ mode, paddingMode: padding_mode, alignCorners: align_corners ?? undefined })),
);
add(
  "nn.functional.embedding_bag",
  "weight input offsets max_norm norm_type scale_grad_by_freq mode sparse per_sample_weights include_last_offset " +
    "padding_idx",
  (own) => {
    if (own.max_norm != null || own.scale_grad_by_freq || own.sparse) throw new Unasked("max_norm, scale_grad_by_freq");
    return F.embeddingBag(
      own.input,
      own.weight,
      own.offsets ?? null,
      given({
        mode: own.mode,
        perSampleWeights: own.per_sample_weights ?? undefined,
        includeLastOffset: own.include_last_offset,
        paddingIdx: own.padding_idx ?? undefined,
      }),
    );
  },
);
add("nn.functional.ctc_loss", "logs targets inputs lengths blank reduction zero_infinity", (own) =>
  F.ctcLoss(
    own.logs,
    own.targets,
    own.inputs,
    own.lengths,
    given({ blank: own.blank, reduction: own.reduction, zeroInfinity: own.zero_infinity }),
  ),
);
