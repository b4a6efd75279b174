/**
 * Out-of-line functions for operations across lanes that no vector instruction does: they go through the lanes in
 * scratch memory. Slots: 0 values, 1 lane operands, 2 clamps, 4 membermasks (each lane's own); results in 3 and 5.
 */
import { bug } from "../../../base/diagnostics.ts";
import type { FunctionBuilder } from "../../../wasm/function-builder.ts";
import type { ModuleBuilder } from "../../../wasm/module-builder.ts";
import { SLOT_BYTES, forEachLane, loadLane, pushLaneAddress } from "./lane-scratch.ts";

export type ShuffleMode = "idx" | "up" | "down" | "bfly";

export class CrossLaneHelpers {
  readonly #made = new Map<string, FunctionBuilder>();
  readonly #module: ModuleBuilder;
  readonly #scratch: number;
  constructor(module: ModuleBuilder, scratch: number) {
    this.#module = module;
    this.#scratch = scratch;
  }

  /**
   * (active lanes) → lanes whose source was in range. Values in slot 0, lane operands in slot 1, clamps in slot 2,
   * membermasks in slot 4; results in slot 3.
   */
  shuffle(mode: ShuffleMode): FunctionBuilder {
    return this.#make(`shuffle_${mode}`, ["i32"], (f) => {
      const scratch = this.#scratch;
      const source = f.local("i32");
      const segment = f.local("i32");
      const clamp = f.local("i32");
      const limit = f.local("i32");
      const amount = f.local("i32");
      const predicate = f.local("i32");
      const inRange = f.local("i32");
      const all = f.local("i32");
      f.i32Const(-1).localSet(all);
      forEachLane(f, all, (lane) => {
        loadLane(f, scratch, lane, "i32", 1);
        f.i32Const(31).i32And().localSet(amount);
        loadLane(f, scratch, lane, "i32", 2);
        f.localTee(clamp).i32Const(8).i32ShrU().i32Const(31).i32And().localSet(segment);
        f.localGet(clamp).i32Const(31).i32And().localSet(clamp);
        // furthest lane that may be read
        f.localGet(lane)
          .localGet(segment)
          .i32And()
          .localGet(clamp)
          .localGet(segment)
          .i32Const(-1)
          .i32Xor()
          .i32And()
          .i32Or()
          .localSet(limit);
        switch (mode) {
          case "idx":
            f.localGet(lane)
              .localGet(segment)
              .i32And()
              .localGet(amount)
              .localGet(segment)
              .i32Const(-1)
              .i32Xor()
              .i32And()
              .i32Or()
              .localTee(source);
            f.localGet(limit).i32LeS().localSet(predicate);
            break;
          case "up":
            f.localGet(lane).localGet(amount).i32Sub().localTee(source).localGet(limit).i32GeS().localSet(predicate);
            break;
          case "down":
            f.localGet(lane).localGet(amount).i32Add().localTee(source).localGet(limit).i32LeS().localSet(predicate);
            break;
          case "bfly":
            f.localGet(lane).localGet(amount).i32Xor().localTee(source).localGet(limit).i32LeS().localSet(predicate);
            break;
        }
        f.localGet(source).localGet(lane).localGet(predicate).select().localSet(source);
        f.localGet(inRange).localGet(predicate).localGet(lane).i32Shl().i32Or().localSet(inRange);
        // from a lane that takes no part comes 0
        pushLaneAddress(f, scratch, lane, "i32");
        loadLane(f, scratch, source, "i32", 0);
        f.i32Const(0).localGet(0);
        loadLane(f, scratch, lane, "i32", 4);
        f.i32And().localGet(source).i32ShrU().i32Const(1).i32And().select();
        f.i32Store(3 * SLOT_BYTES);
      });
      f.localGet(inRange);
    });
  }

  /**
   * (active lanes): each gets, in slot 3, the reduction over the lanes of its own membermask (slot 4) of the values in
   * slot 0.
   */
  reduceGroups(operation: string): FunctionBuilder {
    return this.#make(`reduce_groups_${operation}`, ["i32"], (f) => {
      const result = f.local("i32");
      forEachLane(f, 0, (lane) => {
        f.localGet(0);
        loadLane(f, this.#scratch, lane, "i32", 4);
        f.i32And().call(this.reduce(operation)).localSet(result);
        pushLaneAddress(f, this.#scratch, lane, "i32");
        f.localGet(result).i32Store(3 * SLOT_BYTES);
      });
      f.i32Const(0);
    });
  }

  /** (lanes taking part) → the reduction of their values in slot 0 (bits for floats). */
  reduce(operation: string): FunctionBuilder {
    return this.#make(`reduce_${operation}`, ["i32"], (f) => {
      const scratch = this.#scratch;
      const sum = f.local("i32");
      const value = f.local("i32");
      const first = f.local("i32");
      f.i32Const(1).localSet(first);
      forEachLane(f, 0, (lane) => {
        loadLane(f, scratch, lane, "i32", 0);
        f.localSet(value).localGet(first).if();
        f.localGet(value).localSet(sum).i32Const(0).localSet(first);
        f.else();
        const choose = (compare: "i32LtS" | "i32GtS" | "i32LtU" | "i32GtU"): void => {
          f.localGet(value).localGet(sum).localGet(value).localGet(sum).op(compare).select();
        };
        switch (operation) {
          case "add":
            f.localGet(sum).localGet(value).i32Add();
            break;
          case "and":
            f.localGet(sum).localGet(value).i32And();
            break;
          case "or":
            f.localGet(sum).localGet(value).i32Or();
            break;
          case "xor":
            f.localGet(sum).localGet(value).i32Xor();
            break;
          case "min":
            choose("i32LtS");
            break;
          case "max":
            choose("i32GtS");
            break;
          case "umin":
            choose("i32LtU");
            break;
          case "umax":
            choose("i32GtU");
            break;
          default:
            bug(`redux.sync.${operation}`);
        }
        f.localSet(sum).end();
      });
      f.localGet(sum);
    });
  }

  /**
   * (active lanes): values in slot 0, membermasks in slot 4; slot 3 gets each lane's set of equal lanes, slot 5 that
   * set if it is all of the lane's group, else 0. → the lanes whose groups agree.
   */
  match(element: "i32" | "i64"): FunctionBuilder {
    return this.#make(`match_${element}`, ["i32"], (f) => {
      const scratch = this.#scratch;
      const equal = f.local("i32");
      const group = f.local("i32");
      const agree = f.local("i32");
      const value = f.local(element);
      forEachLane(f, 0, (lane) => {
        f.i32Const(0).localSet(equal);
        f.localGet(0);
        loadLane(f, scratch, lane, "i32", 4);
        f.i32And().localSet(group);
        loadLane(f, scratch, lane, element, 0);
        f.localSet(value);
        forEachLane(f, group, (other) => {
          loadLane(f, scratch, other, element, 0);
          f.localGet(value)
            .op(element === "i64" ? "i64Eq" : "i32Eq")
            .localGet(other)
            .i32Shl()
            .localGet(equal)
            .i32Or()
            .localSet(equal);
        });
        pushLaneAddress(f, scratch, lane, "i32");
        f.localGet(equal).i32Store(3 * SLOT_BYTES);
        pushLaneAddress(f, scratch, lane, "i32");
        f.localGet(equal)
          .i32Const(0)
          .localGet(equal)
          .localGet(group)
          .i32Eq()
          .select()
          .i32Store(5 * SLOT_BYTES);
        f.localGet(equal).localGet(group).i32Eq().localGet(lane).i32Shl().localGet(agree).i32Or().localSet(agree);
      });
      f.localGet(agree);
    });
  }

  #make(name: string, params: readonly "i32"[], build: (f: FunctionBuilder) => void): FunctionBuilder {
    let f = this.#made.get(name);
    if (f === undefined) {
      f = this.#module.function(name, params, ["i32"]);
      this.#made.set(name, f);
      build(f);
    }
    return f;
  }
}
