/**
 * Descriptors of matrices in shared memory (PTX ISA 8.5, 9.7.15.5.1), as libdevice/wgmma.cu reads them: bits 0–13 the
 * address, 16–29 the leading and 32–45 the stride byte offset, all in units of 16 bytes; 49–51 the base offset; 62–63
 * the swizzle. What lies together are chunks of 16 bytes, whose places a swizzle exchanges.
 */
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import type { FunctionRef } from "../../../wasm/types.ts";

export interface DescriptorContext {
  /** Globals: the address of the block's shared memory, and the bytes that may be accessed. */
  readonly shared: number;
  readonly limitBytes: number;
  readonly addressFault: FunctionRef;
  readonly site: Local;
  /** The first address that may be accessed. */
  readonly base: number;
}

/** A descriptor in locals. */
export interface Descriptor {
  readonly context: DescriptorContext;
  readonly start: Local;
  readonly leading: Local;
  readonly stride: Local;
  readonly baseOffset: Local;
  /** Bytes of a row of the pattern; 16 without a swizzle. */
  readonly span: Local;
}

const ADDRESS_BITS = 0x3ffff;

export function emitDescriptor(code: FunctionBuilder, bits: Local, context: DescriptorContext): Descriptor {
  const local = (): Local => code.local("i32");
  const d = { context, start: local(), leading: local(), stride: local(), baseOffset: local(), span: local() };
  const field = (shift: number): FunctionBuilder => {
    code.localGet(bits).i64Const(BigInt(shift)).i64ShrU().i32WrapI64();
    return code;
  };
  const bytes = (shift: number): FunctionBuilder => field(shift).i32Const(0x3fff).i32And().i32Const(4).i32Shl();
  bytes(0).globalGet(context.shared).i32Sub().i32Const(ADDRESS_BITS).i32And();
  code.globalGet(context.shared).i32Add().localSet(d.start);
  bytes(16).localSet(d.leading);
  bytes(32).localSet(d.stride);
  field(49).i32Const(7).i32And().localSet(d.baseOffset);
  code.i32Const(256);
  field(62).i32ShrU().i32Const(16);
  field(62).select().localSet(d.span);
  return d;
}

export interface ChunkPlace {
  /** Which eight rows or columns. */
  readonly eights: Local;
  /** Which of the eight; with "across", which k. */
  readonly within: number;
  /** The lower or the upper 16 bytes of K; across: eight 16-bit elements of one k. */
  readonly half: number | "across";
}

/** Pushes 16 bytes. */
export function pushChunk(code: FunctionBuilder, d: Descriptor, place: ChunkPlace): void {
  const address = code.local("i32");
  code.localGet(d.start);
  if (place.half === "across") pushAcross(code, d, place.eights, place.within);
  else {
    code.localGet(d.span).i32Const(place.within).i32Mul().i32Add();
    code.localGet(place.eights).localGet(d.stride).i32Mul().i32Add();
    if (place.half === 1) {
      code.localGet(d.leading).i32Const(16).localGet(d.span).i32Const(16).i32Eq().select().i32Add();
    }
  }
  code.localSet(address);
  // Swizzled: the row of the pattern is in the address, from bit 7 on.
  code.localGet(address).i32Const(7).i32ShrU().localGet(d.baseOffset).i32Sub();
  code.localGet(d.span).i32Const(4).i32ShrU().i32Const(1).i32Sub().i32And();
  code.i32Const(4).i32Shl().localGet(address).i32Xor().localSet(address);
  const { base, limitBytes, addressFault, site } = d.context;
  code.localGet(address).i32Const(base).i32Sub().globalGet(limitBytes).i32Const(16).i32Sub().i32GtU().if();
  code.i32Const(0).localGet(address).localGet(site).call(addressFault);
  code.end();
  code.localGet(address).v128Load(0);
  code.free(address);
}

/** Rows of A or columns of B are contiguous: adds the place of eight of them for one k. */
function pushAcross(code: FunctionBuilder, d: Descriptor, eights: Local, k: number): void {
  const isPlain = (): FunctionBuilder => code.localGet(d.span).i32Const(16).i32Eq();
  // Chunks of a row of the pattern: span / 16.
  code.localGet(eights).localGet(d.span).i32Const(4).i32ShrU().i32DivU();
  code.localGet(d.stride).localGet(d.leading);
  isPlain().select().i32Mul().i32Add();
  code.localGet(eights).localGet(d.span).i32Const(4).i32ShrU().i32RemU().i32Const(4).i32Shl().i32Add();
  code
    .localGet(d.span)
    .i32Const(k & 7)
    .i32Mul()
    .i32Add();
  if (k >= 8) {
    code.localGet(d.leading).localGet(d.stride);
    isPlain().select().i32Add();
  }
}
