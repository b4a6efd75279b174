/**
 * Skips a launch whose result is already in memory.
 *
 * A launch may be skipped when an earlier one had the same kernel, configuration and parameters, completed, and
 *   - the kernel is repeatable (access-summary.ts),
 *   - the allocations that it reads and those that it writes are disjoint,
 *   - none of them was written since, by anyone. Then running it again would read the same bytes and write the same
 *     bytes to where they already are. Writes are seen as changes of an allocation's version (memory.ts): copies,
 *     fills, launches and freeing all change them.
 *
 * Benchmarks that repeat a launch a thousand times on unchanged inputs are thus run once; a kernel that accumulates
 * into its output, or ping-pongs between buffers, is run every time.
 */
import { dim3Volume } from "../../base/dim3.ts";
import type { LoadedKernel } from "../../engine/executor.ts";
import type { LaunchConfig } from "../../machine/launch.ts";
import { summarizeAccesses, type AccessSummary, type RegionAccess } from "../../analysis/pointers/access-summary.ts";
import type { DeviceMemory, HeapBlock } from "./memory.ts";

/** What one launch reads and writes, by allocation. null: anything. */
export interface LaunchFootprint {
  readonly read: ReadonlySet<HeapBlock>;
  readonly written: ReadonlySet<HeapBlock>;
}

interface Remembered {
  readonly blocks: readonly { readonly start: number; readonly version: number }[];
}

/** Launches remembered at once; the oldest goes first. */
const REMEMBERED_LAUNCHES = 512;

export class LaunchReuse {
  readonly #memory: DeviceMemory;
  readonly #globalAddress: (kernel: LoadedKernel, name: string) => number | null;
  readonly #summaries = new WeakMap<LoadedKernel, AccessSummary>();
  readonly #remembered = new Map<string, Remembered>();
  readonly #kernelIds = new WeakMap<LoadedKernel, number>();
  #nextKernelId = 0;

  /** @param globalAddress the address of a module variable, or null when the kernel's module has none of that name. */
  constructor(memory: DeviceMemory, globalAddress: (kernel: LoadedKernel, name: string) => number | null) {
    this.#memory = memory;
    this.#globalAddress = globalAddress;
  }

  summary(kernel: LoadedKernel): AccessSummary {
    let summary = this.#summaries.get(kernel);
    if (summary === undefined) this.#summaries.set(kernel, (summary = summarizeAccesses(kernel.function)));
    return summary;
  }

  /** Which allocations a launch may touch; null when that is not known. */
  footprint(kernel: LoadedKernel, params: Uint8Array): LaunchFootprint | null {
    const { regions } = this.summary(kernel);
    if (regions === null) return null;
    const read = new Set<HeapBlock>();
    const written = new Set<HeapBlock>();
    for (const region of regions) {
      const address = this.#address(kernel, params, region);
      // A null pointer is not accessed by a launch that completes.
      if (address === 0) continue;
      const block = address === null ? null : this.#memory.find(address);
      if (block === null) return null;
      if (region.read) read.add(block);
      if (region.write) written.add(block);
    }
    return { read, written };
  }

  /** The key under which this launch is remembered, or null when it cannot be reused. */
  key(
    kernel: LoadedKernel,
    config: LaunchConfig,
    params: Uint8Array,
    footprint: LaunchFootprint | null,
  ): string | null {
    if (footprint === null || this.summary(kernel).obstacle !== null || dim3Volume(config.grid) === 0) return null;
    for (const block of footprint.written) if (footprint.read.has(block)) return null;
    let id = this.#kernelIds.get(kernel);
    if (id === undefined) this.#kernelIds.set(kernel, (id = this.#nextKernelId++));
    const { grid, block, sharedBytes, cooperative, cluster } = config;
    return [
      id,
      grid.x,
      grid.y,
      grid.z,
      block.x,
      block.y,
      block.z,
      sharedBytes,
      cooperative === true ? 1 : 0,
      cluster === undefined ? 0 : `${cluster.x},${cluster.y},${cluster.z}`,
      ...params,
    ].join(" ");
  }

  /** Whether the result of the launch with this key is still in memory. */
  isCurrent(key: string): boolean {
    const remembered = this.#remembered.get(key);
    return (
      remembered !== undefined &&
      remembered.blocks.every(({ start, version }) => {
        const block = this.#memory.find(start);
        return block !== null && block.start === start && this.#memory.version(block) === version;
      })
    );
  }

  /** To be called when a launch has ended, with or without a fault: notes its writes. */
  noteWrites(footprint: LaunchFootprint | null): void {
    if (footprint === null) this.#memory.touchAll();
    else for (const block of footprint.written) this.#memory.touch(block.start, 1);
  }

  /** To be called after `noteWrites` when the launch completed. */
  remember(key: string, footprint: LaunchFootprint): void {
    this.#remembered.delete(key);
    const blocks = [...new Set([...footprint.read, ...footprint.written])].map((block) => ({
      start: block.start,
      version: this.#memory.version(block),
    }));
    this.#remembered.set(key, { blocks });
    if (this.#remembered.size > REMEMBERED_LAUNCHES)
      this.#remembered.delete(this.#remembered.keys().next().value as string);
  }

  clear(): void {
    this.#remembered.clear();
  }

  #address(kernel: LoadedKernel, params: Uint8Array, region: RegionAccess): number | null {
    if (region.root.kind === "global") return this.#globalAddress(kernel, region.root.name);
    const param = kernel.params[region.root.index];
    if (param === undefined || region.root.offset + (this.#memory.isWide ? 8 : 4) > param.size) return null;
    const at = param.offset + region.root.offset;
    const view = new DataView(params.buffer, params.byteOffset, params.byteLength);
    return this.#memory.isWide ? Number(view.getBigUint64(at, true)) : view.getUint32(at, true);
  }
}
