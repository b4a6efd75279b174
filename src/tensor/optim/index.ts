/** Optimisers and schedules, as torch.optim. */
export { Optimizer } from "./optimizer.ts";
export type { Group, OptimizerState, ParameterGroup } from "./optimizer.ts";
export { SGD, type SgdOptions } from "./sgd.ts";
export { Adagrad, Adam, AdamW, RMSprop } from "./adaptive.ts";
export type { AdagradOptions, AdamOptions, RMSpropOptions } from "./adaptive.ts";
export * as lrScheduler from "./lr-scheduler.ts";
export type { ScheduleState } from "./schedules.ts";
export { GradScaler, type GradScalerOptions } from "./grad-scaler.ts";
