/** torch.nn.functional. */
export * from "../api/functional.ts";
