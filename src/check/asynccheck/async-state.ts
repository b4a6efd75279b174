/** The memory of asynccheck's hooks, and their names: libdevice/async-check.cu has the same. */
import { CHECK_NAMES } from "../check-names.ts";

/** Variables by their short names, in bytes. */
export const ASYNC_TABLES: Readonly<Record<string, number>> = {
  async: 20 * 1024,
  async_words: (1 << 18) * 12,
  async_operations: (1 << 15) * 112,
  async_threads: (1 << 17) * 40,
  async_windows: (1 << 18) * 8,
  async_slots: 64 * 65 * 1024,
};
/** Words of the variable `async` that the host writes. */
export const ASYNC_WORDS = { launch: 0, start: 1, end: 2 } as const;
/** Two words in the memory of each block: which block it is. */
export const BLOCK_VARIABLE = "async_block";
export const BLOCK_BYTES = 8;

const HOOK_NAMES = [
  "enter",
  "leave",
  "access",
  "fence",
  "copy",
  "commit",
  "wait",
  "store",
  "tile_store",
  "load",
  "tile_load",
  "test",
  "tested",
  "product",
  "group",
  "pending",
  "changed",
  "track",
  "late_copy",
  "late_send",
  "late_mbarrier_arrive",
  "late_bulk_load",
  "late_bulk_store",
  "late_bulk_reduce",
  "late_bulk_reduce_shared",
  "late_tensor_load",
  "late_tensor_store",
  "late_tensor_reduce",
] as const;
export type AsyncHook = (typeof HOOK_NAMES)[number];

export const hookName = (hook: AsyncHook): string => CHECK_NAMES.name(`async_${hook}`);
export const ASYNC_HOOKS: readonly string[] = HOOK_NAMES.map(hookName);

/** What takes part in groups of its own. */
export const GROUP_KINDS = { copy: 0, store: 1, product: 2 } as const;
export type GroupKind = keyof typeof GROUP_KINDS;
/** A wait for everything, committed or not. */
export const EVERYTHING = 0xffffffff;

/** What a hook answers, in the lower four bits. Above it stands the number of the other site, from 1 on; 0: none. */
export const ANSWERS = [
  null,
  "early-read",
  "early-overwrite",
  "early-write",
  "missing-proxy-fence",
  "wrong-swizzle",
  "wrong-phase",
  "changed-registers",
] as const;
