/** SHA-256 (FIPS 180-4), synchronous, for content keys where the platform has no synchronous hash. */

const K: Int32Array = new Int32Array(64);
const INITIAL: Int32Array = new Int32Array(8);
{
  // The constants are the fractional parts of cube and square roots of the first primes.
  const fraction = (value: number): number => Math.floor((value - Math.floor(value)) * 4294967296);
  let count = 0;
  for (let candidate = 2; count < 64; candidate++) {
    let prime = true;
    for (let divisor = 2; divisor * divisor <= candidate; divisor++) if (candidate % divisor === 0) prime = false;
    if (!prime) continue;
    if (count < 8) INITIAL[count] = fraction(Math.sqrt(candidate));
    K[count++] = fraction(Math.cbrt(candidate));
  }
}

const rotate = (x: number, n: number): number => (x >>> n) | (x << (32 - n));

export function sha256(bytes: Uint8Array): string {
  const state = new Int32Array(INITIAL);
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 0x2000_0000));
  view.setUint32(padded.length - 4, (bytes.length * 8) >>> 0);
  const w = new Int32Array(64);
  for (let block = 0; block < padded.length; block += 64) addBlock(state, w, view, block);
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

/** @param w room for the schedule of a block. All arithmetic is of whole numbers of 32 bits. */
function addBlock(state: Int32Array, w: Int32Array, view: DataView, block: number): void {
  for (let i = 0; i < 16; i++) w[i] = view.getInt32(block + i * 4);
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15] as number;
    const y = w[i - 2] as number;
    const small = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3);
    const large = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10);
    w[i] = ((w[i - 16] as number) + small + (w[i - 7] as number) + large) | 0;
  }
  let a = state[0] as number;
  let b = state[1] as number;
  let c = state[2] as number;
  let d = state[3] as number;
  let e = state[4] as number;
  let f = state[5] as number;
  let g = state[6] as number;
  let h = state[7] as number;
  for (let i = 0; i < 64; i++) {
    const mixed = (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g));
    const t = (h + mixed + (K[i] as number) + (w[i] as number)) | 0;
    const most = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = (d + t) | 0;
    d = c;
    c = b;
    b = a;
    a = (t + most) | 0;
  }
  const sum = [a, b, c, d, e, f, g, h];
  for (let i = 0; i < 8; i++) state[i] = (state[i] as number) + (sum[i] as number);
}
