/** Loads and stores of the active lanes, one after the other with exact checks: where vector accesses are not possible or not legal. */
import { USER_BASE } from "../../machine/memory-map.ts";
import type { FunctionBuilder, Local } from "../../wasm/function-builder.ts";
import type { ModuleBuilder } from "../../wasm/module-builder.ts";
import type { FunctionRef } from "../../wasm/types.ts";
import type { AccessLimits } from "../emit/environment.ts";
import { SCRATCH_SLOTS, SLOT_BYTES, forEachLane, pushLaneAddress } from "./scratch.ts";

/** Behind the slots of the scratch region: room for what lanes load from up to COMPACT_BYTES apart. */
const COMPACT_OFFSET = SLOT_BYTES * SCRATCH_SLOTS;

/** Out-of-line loops over the active lanes: addresses in slot 0, data in slot 1. */
export class MemoryHelpers {
  private readonly made = new Map<string, FunctionBuilder>();
  private readonly module: ModuleBuilder;
  private readonly limits: AccessLimits;
  private readonly scratch: number;
  /** (lane, address, site): reports and throws. */
  private readonly addressFault: FunctionRef;

  constructor(module: ModuleBuilder, limits: AccessLimits, scratch: number, addressFault: FunctionRef) {
    this.module = module;
    this.limits = limits;
    this.scratch = scratch;
    this.addressFault = addressFault;
  }

  /** (mask, site) → () */
  gather(bytes: 1 | 2 | 4 | 8, align: number): FunctionBuilder {
    return this.access("gather", bytes, align, (f, lane, address) => {
      pushLaneAddress(f, this.scratch, lane, bytes === 8 ? "i64" : "i32");
      f.localGet(address);
      if (bytes === 8) f.i64Load().i64Store(SLOT_BYTES);
      else {
        if (bytes === 4) f.i32Load();
        else if (bytes === 2) f.i32Load16U();
        else f.i32Load8U();
        f.i32Store(SLOT_BYTES);
      }
    });
  }

  /**
   * (mask, site, base) → where the data is: the active lanes' elements, each at its distance from `base` (at most COMPACT_BYTES).
   * So a load has one way on, whether its addresses were good as they are or not.
   */
  compact(bytes: 1 | 2 | 4 | 8, align: number): FunctionBuilder {
    return this.access("compact", bytes, align, (f, _lane, address) => {
      f.globalGet(this.scratch).localGet(address).localGet(2).i32Sub().i32Add();
      f.localGet(address);
      if (bytes === 8) f.i64Load().i64Store(COMPACT_OFFSET);
      else if (bytes === 4) f.i32Load().i32Store(COMPACT_OFFSET);
      else if (bytes === 2) f.i32Load16U().i32Store16(COMPACT_OFFSET);
      else f.i32Load8U().i32Store8(COMPACT_OFFSET);
    }, true);
  }

  scatter(bytes: 1 | 2 | 4 | 8, align: number): FunctionBuilder {
    return this.access("scatter", bytes, align, (f, lane, address) => {
      f.localGet(address);
      pushLaneAddress(f, this.scratch, lane, bytes === 8 ? "i64" : "i32");
      if (bytes === 8) f.i64Load(SLOT_BYTES).i64Store();
      else {
        f.i32Load(SLOT_BYTES);
        if (bytes === 4) f.i32Store();
        else if (bytes === 2) f.i32Store16();
        else f.i32Store8();
      }
    });
  }

  private access(name: string, bytes: 1 | 2 | 4 | 8, align: number, body: (f: FunctionBuilder, lane: Local, address: Local) => void, returnsPlace = false): FunctionBuilder {
    const key = `${name}_${bytes}_align${align}`;
    let f = this.made.get(key);
    if (f === undefined) {
      f = returnsPlace ? this.module.function(key, ["i32", "i32", "i32"], ["i32"]) : this.module.function(key, ["i32", "i32"], []);
      this.made.set(key, f);
      const builder = f;
      const address = f.local("i32");
      forEachLane(f, 0, (lane) => {
        pushLaneAddress(builder, this.scratch, lane, "i32");
        builder.i32Load().localTee(address).i32Const(USER_BASE).i32Sub();
        builder.globalGet(this.limits.bytes).i32Const(bytes).i32Sub().i32GtU();
        if (align > 1) builder.localGet(address).i32Const(align - 1).i32And().i32Const(0).i32Ne().i32Or();
        builder.if();
        builder.localGet(lane).localGet(address).localGet(1).call(this.addressFault);
        builder.end();
        body(builder, lane, address);
      });
      if (returnsPlace) f.globalGet(this.scratch).i32Const(COMPACT_OFFSET).i32Add();
    }
    return f;
  }
}
