/** How a launch and compiled code travel to workers: bytes in shared memory. */
import { parseShared, stringifyShared } from "../../base/shared-json.ts";
import type { CompiledKernel } from "../../engine/backend.ts";
import type { LaunchDescriptor } from "../../engine/executor.ts";

/** What a worker needs to take part in a launch. */
export interface LaunchRecord {
  readonly launch: LaunchDescriptor;
  /** Identifies the compiled kernel over the life of the pool. */
  readonly kernelId: number;
  readonly backend: string;
  /** Where packCode's bytes are. */
  readonly codeAddress: number;
  readonly codeBytes: number;
}

type JsonRecord = Omit<LaunchRecord, "launch"> & {
  readonly launch: Omit<LaunchDescriptor, "params"> & { readonly params: readonly number[] };
};

export function packLaunch(record: LaunchRecord): Uint8Array {
  const { grid, block, dynamicSharedBytes, params, cooperative, cluster, memoryTop } = record.launch;
  const json: JsonRecord = {
    ...record,
    launch: { grid, block, dynamicSharedBytes, cooperative, cluster, memoryTop, params: [...params] },
  };
  return new TextEncoder().encode(JSON.stringify(json));
}

export function unpackLaunch(bytes: Uint8Array): LaunchRecord {
  const json = JSON.parse(new TextDecoder().decode(unshared(bytes))) as JsonRecord;
  return { ...json, launch: { ...json.launch, params: new Uint8Array(json.launch.params) } };
}

const HEADER_BYTES = 4;

/** Length of the metadata, the metadata as JSON with equal parts written once, the wasm. */
export function packCode(compiled: CompiledKernel): Uint8Array {
  const metadata = new TextEncoder().encode(stringifyShared(compiled.metadata ?? null));
  const bytes = new Uint8Array(HEADER_BYTES + metadata.byteLength + compiled.wasm.byteLength);
  new DataView(bytes.buffer).setUint32(0, metadata.byteLength, true);
  bytes.set(metadata, HEADER_BYTES);
  bytes.set(compiled.wasm, HEADER_BYTES + metadata.byteLength);
  return bytes;
}

export function unpackCode(backend: string, shared: Uint8Array): CompiledKernel {
  const bytes = unshared(shared);
  const metadataBytes = new DataView(bytes.buffer).getUint32(0, true);
  const metadata = parseShared(new TextDecoder().decode(bytes.subarray(HEADER_BYTES, HEADER_BYTES + metadataBytes)));
  return { backend, metadata, wasm: bytes.subarray(HEADER_BYTES + metadataBytes) };
}

/** TextDecoder and WebAssembly.Module take no views of shared memory. */
function unshared(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(bytes.byteLength);
  copy.set(bytes);
  return copy;
}
