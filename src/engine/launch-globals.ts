/** What runners tell compiled code of a launch: values of its WebAssembly globals. */
import { MAX_PAGES, PAGE_BYTES, USER_BASE } from "../machine/memory-map.ts";
import type { AddressType } from "./emit/environment.ts";

/** An address as compiled code passes it: an i32, or an i64 where pointers have 64 bits. */
export function addressOf(value: number | bigint): number {
  return typeof value === "bigint" ? Number(BigInt.asUintN(64, value)) : value >>> 0;
}

/** Sets a global of 32 or 64 bits. */
export function setGlobal(global: WebAssembly.Global, value: number): void {
  global.value = typeof global.value === "bigint" ? BigInt(value) : value | 0;
}

/** The bytes from USER_BASE on that kernels may access, of memory that is in use up to `top`. */
export function legalBytes(top: number, type: AddressType): number {
  return (type === "i64" ? top : Math.min(top, MAX_PAGES * PAGE_BYTES - PAGE_BYTES)) - USER_BASE;
}
