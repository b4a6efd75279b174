/** Modules, as torch.nn. */
export * as functional from "./functional.ts";
export * as init from "./init.ts";
export * as utils from "./utils.ts";
export { Module, type LoadOptions, type LoadResult, type StateDict, type TensorModule } from "./module.ts";
export { Buffer, Parameter, type BufferOptions } from "./parameter.ts";
export type { ModuleOptions } from "./place.ts";
export { ModuleDict, ModuleList, ParameterList, Sequential } from "./containers.ts";
export { Bilinear, Embedding, Flatten, Identity, Linear, Unflatten } from "./linear.ts";
export type { EmbeddingOptions, LinearOptions } from "./linear.ts";
