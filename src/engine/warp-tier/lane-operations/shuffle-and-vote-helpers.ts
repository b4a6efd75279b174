/**
 * Out-of-line functions for operations across lanes that no vector instruction does: they go through the lanes in
 * scratch memory. Slots: 0 values, 1 lane operands, 2 clamps, 4 membermasks (each lane's own); results in 3 and 5.
 */
import type { ShuffleMode } from "../../../machine/shuffle.ts";
import { bug } from "../../../base/diagnostics.ts";
import type { FunctionBuilder } from "../../../wasm/function-builder.ts";
import type { ModuleBuilder } from "../../../wasm/module-builder.ts";
import { SLOT_BYTES, forEachLane, loadLane, pushLaneAddress } from "./lane-scratch.ts";

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
    return this.#make(`shuffle_${mode}`, ["i32"], (code) => {
      const scratch = this.#scratch;
      const source = code.local("i32");
      const segment = code.local("i32");
      const clamp = code.local("i32");
      const limit = code.local("i32");
      const amount = code.local("i32");
      const predicate = code.local("i32");
      const inRange = code.local("i32");
      const all = code.local("i32");
      code.i32Const(-1).localSet(all);
      forEachLane(code, all, (lane) => {
        loadLane(code, scratch, lane, "i32", 1);
        code.i32Const(31).i32And().localSet(amount);
        loadLane(code, scratch, lane, "i32", 2);
        code.localTee(clamp).i32Const(8).i32ShrU().i32Const(31).i32And().localSet(segment);
        code.localGet(clamp).i32Const(31).i32And().localSet(clamp);
        // furthest lane that may be read
        code
          .localGet(lane)
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
            code
              .localGet(lane)
              .localGet(segment)
              .i32And()
              .localGet(amount)
              .localGet(segment)
              .i32Const(-1)
              .i32Xor()
              .i32And()
              .i32Or()
              .localTee(source);
            code.localGet(limit).i32LeS().localSet(predicate);
            break;
          case "up":
            code.localGet(lane).localGet(amount).i32Sub().localTee(source).localGet(limit).i32GeS().localSet(predicate);
            break;
          case "down":
            code.localGet(lane).localGet(amount).i32Add().localTee(source).localGet(limit).i32LeS().localSet(predicate);
            break;
          case "bfly":
            code.localGet(lane).localGet(amount).i32Xor().localTee(source).localGet(limit).i32LeS().localSet(predicate);
            break;
        }
        code.localGet(source).localGet(lane).localGet(predicate).select().localSet(source);
        code.localGet(inRange).localGet(predicate).localGet(lane).i32Shl().i32Or().localSet(inRange);
        // from a lane that takes no part comes 0
        pushLaneAddress(code, scratch, lane, "i32");
        loadLane(code, scratch, source, "i32", 0);
        code.i32Const(0).localGet(0);
        loadLane(code, scratch, lane, "i32", 4);
        code.i32And().localGet(source).i32ShrU().i32Const(1).i32And().select();
        code.i32Store(3 * SLOT_BYTES);
      });
      code.localGet(inRange);
    });
  }

  /**
   * (active lanes): each gets, in slot 3, the reduction over the lanes of its own membermask (slot 4) of the values in
   * slot 0.
   */
  reduceGroups(operation: string): FunctionBuilder {
    return this.#make(`reduce_groups_${operation}`, ["i32"], (code) => {
      const result = code.local("i32");
      forEachLane(code, 0, (lane) => {
        code.localGet(0);
        loadLane(code, this.#scratch, lane, "i32", 4);
        code.i32And().call(this.reduce(operation)).localSet(result);
        pushLaneAddress(code, this.#scratch, lane, "i32");
        code.localGet(result).i32Store(3 * SLOT_BYTES);
      });
      code.i32Const(0);
    });
  }

  /** (lanes taking part) → the reduction of their values in slot 0 (bits for floats). */
  reduce(operation: string): FunctionBuilder {
    return this.#make(`reduce_${operation}`, ["i32"], (code) => {
      const scratch = this.#scratch;
      const sum = code.local("i32");
      const value = code.local("i32");
      const first = code.local("i32");
      code.i32Const(1).localSet(first);
      forEachLane(code, 0, (lane) => {
        loadLane(code, scratch, lane, "i32", 0);
        code.localSet(value).localGet(first).if();
        code.localGet(value).localSet(sum).i32Const(0).localSet(first);
        code.else();
        const choose = (compare: "i32LtS" | "i32GtS" | "i32LtU" | "i32GtU"): void => {
          code.localGet(value).localGet(sum).localGet(value).localGet(sum).op(compare).select();
        };
        switch (operation) {
          case "add":
            code.localGet(sum).localGet(value).i32Add();
            break;
          case "and":
            code.localGet(sum).localGet(value).i32And();
            break;
          case "or":
            code.localGet(sum).localGet(value).i32Or();
            break;
          case "xor":
            code.localGet(sum).localGet(value).i32Xor();
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
        code.localSet(sum).end();
      });
      code.localGet(sum);
    });
  }

  /**
   * (active lanes): values in slot 0, membermasks in slot 4; slot 3 gets each lane's set of equal lanes, slot 5 that
   * set if it is all of the lane's group, else 0. → the lanes whose groups agree.
   */
  match(element: "i32" | "i64"): FunctionBuilder {
    return this.#make(`match_${element}`, ["i32"], (code) => {
      const scratch = this.#scratch;
      const equal = code.local("i32");
      const group = code.local("i32");
      const agree = code.local("i32");
      const value = code.local(element);
      forEachLane(code, 0, (lane) => {
        code.i32Const(0).localSet(equal);
        code.localGet(0);
        loadLane(code, scratch, lane, "i32", 4);
        code.i32And().localSet(group);
        loadLane(code, scratch, lane, element, 0);
        code.localSet(value);
        forEachLane(code, group, (other) => {
          loadLane(code, scratch, other, element, 0);
          code
            .localGet(value)
            .op(element === "i64" ? "i64Eq" : "i32Eq")
            .localGet(other)
            .i32Shl()
            .localGet(equal)
            .i32Or()
            .localSet(equal);
        });
        pushLaneAddress(code, scratch, lane, "i32");
        code.localGet(equal).i32Store(3 * SLOT_BYTES);
        pushLaneAddress(code, scratch, lane, "i32");
        code
          .localGet(equal)
          .i32Const(0)
          .localGet(equal)
          .localGet(group)
          .i32Eq()
          .select()
          .i32Store(5 * SLOT_BYTES);
        code.localGet(equal).localGet(group).i32Eq().localGet(lane).i32Shl().localGet(agree).i32Or().localSet(agree);
      });
      code.localGet(agree);
    });
  }

  #make(name: string, params: readonly "i32"[], build: (code: FunctionBuilder) => void): FunctionBuilder {
    let code = this.#made.get(name);
    if (code === undefined) {
      code = this.#module.function(name, params, ["i32"]);
      this.#made.set(name, code);
      build(code);
    }
    return code;
  }
}
