/** What a kernel must do at least, in bytes and operations. */

/**
 * The units of a GPU that do the operations, and so limit them: "fp32", single precision; "bf16", products of bfloat16
 * that matrix instructions add up in fp32; "fp8", the same of numbers of 8 bits, which GPUs before Hopper do no faster.
 */
export type OperationUnit = "fp32" | "bf16" | "fp8";

/** What any version must do at least. */
export interface Work {
  /** Of device memory. */
  readonly bytes: number;
  /** A multiply-add is two. */
  readonly operations: number;
  /** The fastest that may do them; default "fp32". */
  readonly unit?: OperationUnit;
}
