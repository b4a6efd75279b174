/**
 * Gathers and scatters of the active lanes, one after the other with exact checks, where vector accesses are not
 * possible or not legal. They are functions of their own, so that the code around the fast paths stays small.
 */
import { USER_BASE } from "../../../machine/memory-map.ts";
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import type { ModuleBuilder } from "../../../wasm/module-builder.ts";
import type { FunctionRef } from "../../../wasm/types.ts";
import type { AccessLimits } from "../../emit/environment.ts";
import type { ValueType } from "../../../wasm/types.ts";
import { COMPACT_OFFSET, SLOT_BYTES, forEachLane, pushLaneAddress } from "./lane-scratch.ts";
import { SLICES } from "../../../analysis/lane-addresses/lane-shape.ts";

export type HelperBytes = 1 | 2 | 4 | 8;

/** How the addresses come: as one base, from which the lanes' distances are constants, or as eight vectors. */
export type HelperAddresses = readonly number[] | "vectors";

export class MemoryHelpers {
  readonly #made = new Map<string, FunctionBuilder>();
  readonly #module: ModuleBuilder;
  readonly #limits: AccessLimits;
  readonly #scratch: number;
  /** (lane, address, site): reports and throws. */
  readonly #addressFault: FunctionRef;

  constructor(module: ModuleBuilder, limits: AccessLimits, scratch: number, addressFault: FunctionRef) {
    this.#module = module;
    this.#limits = limits;
    this.#scratch = scratch;
    this.#addressFault = addressFault;
  }

  /** (mask, site, addresses) → (): the data comes to slot 1. */
  gather(bytes: HelperBytes, align: number, addresses: HelperAddresses): FunctionBuilder {
    return this.#outer("gather", bytes, align, addresses, 0, this.#gatherLanes(bytes, align));
  }

  /**
   * (mask, site, base, shift) → the address of the copied data: the active lanes' elements, each at its distance from
   * `base`, in the part of the compact region that begins at `shift`. A load then continues with this address as if it
   * were its own.
   */
  compact(bytes: HelperBytes, align: number, offsets: readonly number[]): FunctionBuilder {
    return this.#outer("compact", bytes, align, offsets, 0, this.#compactLanes(bytes, align));
  }

  /** (mask, site, addresses, values: eight vectors, sixteen for 64-bit elements) → () */
  scatter(bytes: HelperBytes, align: number, addresses: HelperAddresses): FunctionBuilder {
    return this.#outer(
      "scatter",
      bytes,
      align,
      addresses,
      bytes === 8 ? 2 * SLICES : SLICES,
      this.#scatterLanes(bytes, align),
    );
  }

  /**
   * (mask, site, base, copy) → (): stores the active lanes' elements, each at its distance from `base`. They lie at the
   * same distances from `copy`.
   */
  copyBack(bytes: HelperBytes, align: number, offsets: readonly number[]): FunctionBuilder {
    return this.#outer("copy_back", bytes, align, offsets, 0, this.#copyLanes(bytes, align));
  }

  /**
   * (mask, address, site) → a legal address. Reports the illegal one, unless the mask is empty: then nothing is read.
   */
  get illegalUnlessIdle(): FunctionBuilder {
    let code = this.#made.get("illegal_unless_idle");
    if (code === undefined) {
      code = this.#module.function("illegal_unless_idle", ["i32", "i32", "i32"], ["i32"]);
      this.#made.set("illegal_unless_idle", code);
      code.localGet(0).if();
      code.localGet(0).i32Ctz().localGet(1).localGet(2).call(this.#addressFault);
      code.end();
      code.globalGet(this.#scratch);
    }
    return code;
  }

  /** Lays addresses and values out in slots 0 and 1 and calls the loop over lanes. */
  #outer(
    name: string,
    bytes: HelperBytes,
    align: number,
    addresses: HelperAddresses,
    values: number,
    lanes: FunctionBuilder,
  ): FunctionBuilder {
    const isMove = name === "compact" || name === "copy_back";
    const key = `${name}_${bytes}_align${align}_${addresses === "vectors" ? addresses : `from_${addresses.join("_")}`}`;
    let code = this.#made.get(key);
    if (code === undefined) {
      const addressTypes: ValueType[] = addresses === "vectors" ? new Array<ValueType>(SLICES).fill("v128") : ["i32"];
      code = this.#module.function(
        key,
        ["i32", "i32", ...addressTypes, ...(isMove ? ["i32" as const] : new Array<ValueType>(values).fill("v128"))],
        name === "compact" ? ["i32"] : [],
      );
      this.#made.set(key, code);
      for (let s = 0; s < SLICES; s++) {
        code.globalGet(this.#scratch);
        if (addresses === "vectors") code.localGet(2 + s);
        else {
          const o = addresses.slice(4 * s, 4 * s + 4) as [number, number, number, number];
          code
            .localGet(2)
            .i32x4Splat()
            .i32x4Const(...o)
            .i32x4Add();
        }
        code.v128Store(16 * s);
      }
      for (let n = 0; n < values; n++)
        code
          .globalGet(this.#scratch)
          .localGet(2 + addressTypes.length + n)
          .v128Store(SLOT_BYTES + 16 * n);
      code.localGet(0).localGet(1);
      if (isMove) code.localGet(2).localGet(3).i32Sub();
      code.call(lanes);
      if (name === "compact") code.localGet(3).i32Add();
    }
    return code;
  }

  #gatherLanes(bytes: HelperBytes, align: number): FunctionBuilder {
    return this.#access("gather_lanes", bytes, align, (code, lane, address) => {
      pushLaneAddress(code, this.#scratch, lane, bytes === 8 ? "i64" : "i32");
      code.localGet(address);
      if (bytes === 8) code.i64Load().i64Store(SLOT_BYTES);
      else {
        if (bytes === 4) code.i32Load();
        else if (bytes === 2) code.i32Load16U();
        else code.i32Load8U();
        code.i32Store(SLOT_BYTES);
      }
    });
  }

  #compactLanes(bytes: HelperBytes, align: number): FunctionBuilder {
    return this.#access(
      "compact_lanes",
      bytes,
      align,
      (code, _lane, address) => {
        code.globalGet(this.#scratch).localGet(address).localGet(2).i32Sub().i32Add();
        code.localGet(address);
        if (bytes === 8) code.i64Load().i64Store(COMPACT_OFFSET);
        else if (bytes === 4) code.i32Load().i32Store(COMPACT_OFFSET);
        else if (bytes === 2) code.i32Load16U().i32Store16(COMPACT_OFFSET);
        else code.i32Load8U().i32Store8(COMPACT_OFFSET);
      },
      ["i32"],
      true,
    );
  }

  #copyLanes(bytes: HelperBytes, align: number): FunctionBuilder {
    return this.#access(
      "copy_lanes",
      bytes,
      align,
      (code, _lane, address) => {
        code.localGet(address).localGet(address).localGet(2).i32Sub();
        if (bytes === 8) code.i64Load().i64Store();
        else if (bytes === 4) code.i32Load().i32Store();
        else if (bytes === 2) code.i32Load16U().i32Store16();
        else code.i32Load8U().i32Store8();
      },
      ["i32"],
    );
  }

  #scatterLanes(bytes: HelperBytes, align: number): FunctionBuilder {
    return this.#access("scatter_lanes", bytes, align, (code, lane, address) => {
      code.localGet(address);
      pushLaneAddress(code, this.#scratch, lane, bytes === 8 ? "i64" : "i32");
      if (bytes === 8) code.i64Load(SLOT_BYTES).i64Store();
      else {
        code.i32Load(SLOT_BYTES);
        if (bytes === 4) code.i32Store();
        else if (bytes === 2) code.i32Store16();
        else code.i32Store8();
      }
    });
  }

  #access(
    name: string,
    bytes: HelperBytes,
    align: number,
    body: (code: FunctionBuilder, lane: Local, address: Local) => void,
    more: readonly ValueType[] = [],
    returnsPlace = false,
  ): FunctionBuilder {
    const key = `${name}_${bytes}_align${align}`;
    let code = this.#made.get(key);
    if (code === undefined) {
      code = this.#module.function(key, ["i32", "i32", ...more], returnsPlace ? ["i32"] : []);
      this.#made.set(key, code);
      const builder = code;
      const address = code.local("i32");
      forEachLane(code, 0, (lane) => {
        pushLaneAddress(builder, this.#scratch, lane, "i32");
        builder.i32Load().localTee(address).i32Const(USER_BASE).i32Sub();
        builder.globalGet(this.#limits.bytes).i32Const(bytes).i32Sub().i32GtU();
        if (align > 1)
          builder
            .localGet(address)
            .i32Const(align - 1)
            .i32And()
            .i32Const(0)
            .i32Ne()
            .i32Or();
        builder.if();
        builder.localGet(lane).localGet(address).localGet(1).call(this.#addressFault);
        builder.end();
        body(builder, lane, address);
      });
      if (returnsPlace) code.globalGet(this.#scratch).i32Const(COMPACT_OFFSET).i32Add();
    }
    return code;
  }
}
