/** Datasets and loaders, as torch.utils.data. */
export { ConcatDataset, randomSplit, Subset, TensorDataset, type Dataset } from "./dataset.ts";
export { DataLoader, type LoaderOptions, type Workers } from "./loader.ts";
export { defaultCollate } from "./collate.ts";
