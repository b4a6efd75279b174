/** Bit patterns of float and double. One scratch buffer, no allocation per call. */
const scratch = new DataView(new ArrayBuffer(8));

export function float32FromBits(bits: number): number {
  scratch.setInt32(0, bits | 0, true);
  return scratch.getFloat32(0, true);
}

/** As an unsigned 32-bit number. Rounds a double to float first. */
export function float32ToBits(value: number): number {
  scratch.setFloat32(0, value, true);
  return scratch.getUint32(0, true);
}

export function float64FromBits(bits: bigint): number {
  scratch.setBigUint64(0, bits, true);
  return scratch.getFloat64(0, true);
}

/** As an unsigned 64-bit bigint. */
export function float64ToBits(value: number): bigint {
  scratch.setFloat64(0, value, true);
  return scratch.getBigUint64(0, true);
}

/** The two 32-bit words of a double, low first. */
export function float64Words(value: number): { low: number; high: number } {
  scratch.setFloat64(0, value, true);
  return { low: scratch.getUint32(0, true), high: scratch.getUint32(4, true) };
}

/** The double whose words are `high` and `low`. */
export function float64FromWords(low: number, high: number): number {
  scratch.setInt32(0, low | 0, true);
  scratch.setInt32(4, high | 0, true);
  return scratch.getFloat64(0, true);
}
