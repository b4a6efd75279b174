/** Learning rates that change from step to step, as torch.optim.lr_scheduler. */
export * from "./schedules.ts";
export * from "./one-cycle.ts";
export * from "./plateau.ts";
