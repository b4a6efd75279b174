/**
 * Code (machine code or PTX) and facts about it, as one entry of the store: length of the facts (u32), the facts as
 * JSON, the code.
 */

export interface CachedCode<Facts> {
  readonly facts: Facts;
  readonly code: Uint8Array;
}

export function encodeCachedCode<Facts>({ facts, code }: CachedCode<Facts>): Uint8Array {
  const json = Buffer.from(JSON.stringify(facts));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(json.length);
  return Buffer.concat([length, json, code]);
}

export function decodeCachedCode<Facts>(entry: Uint8Array): CachedCode<Facts> {
  const length = new DataView(entry.buffer, entry.byteOffset).getUint32(0, true);
  return {
    facts: JSON.parse(new TextDecoder().decode(entry.subarray(4, 4 + length))) as Facts,
    code: entry.slice(4 + length),
  };
}
