/**
 * Code (machine code, or PTX) and what is known of it, as one entry of the store: u32 length of the facts, the facts as
 * JSON, the code.
 */

export interface KeptCode<Facts> {
  readonly facts: Facts;
  readonly code: Uint8Array;
}

export function encodeKept<Facts>({ facts, code }: KeptCode<Facts>): Uint8Array {
  const json = Buffer.from(JSON.stringify(facts));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(json.length);
  return Buffer.concat([length, json, code]);
}

export function decodeKept<Facts>(entry: Uint8Array): KeptCode<Facts> {
  const length = new DataView(entry.buffer, entry.byteOffset).getUint32(0, true);
  return {
    facts: JSON.parse(new TextDecoder().decode(entry.subarray(4, 4 + length))) as Facts,
    code: entry.slice(4 + length),
  };
}
