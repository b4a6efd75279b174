const TYPES = { Float32Array, Int32Array, Uint32Array, Uint8Array };

/** Bytes as an array of the named type, in memory of its own. */
export function typedValues(type, bytes) {
  return new TYPES[type](bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}
