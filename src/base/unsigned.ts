/**
 * Pointers and sizes as a host program hands them over: an i32 arrives as a number that may be negative, a value of 64
 * bits as one that is not (runtime/host/wide-calls.ts). Returns the number that the program means.
 */
export function unsigned(value: number): number {
  return value < 0 ? value + 0x1_0000_0000 : value;
}
