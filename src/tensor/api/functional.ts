/** What PyTorch's `torch.nn.functional` has, under PyTorch's names in camelCase. */
export * from "./activations.ts";
export * from "./layers.ts";
export * from "./losses.ts";
export * from "./norms.ts";
export * from "./pooling.ts";
export * from "./resampling.ts";
