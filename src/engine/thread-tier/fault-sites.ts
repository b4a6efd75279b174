/** What faults and waits report about an instruction. */
import { calledIntrinsic } from "../../ir/model/called-intrinsic.ts";
import type { IrBlock, IrInstruction } from "../../ir/model/ir.ts";
import type { Loop } from "../../ir/graph/loops.ts";
import { accessBytes, requiredAlign } from "../emit/memory.ts";
import type { Site } from "../schedule/task.ts";
import { isCommunication } from "./function-plan.ts";

/** What in a loop looks at other threads, or where the loop begins. */
export function waitingPlace(header: IrBlock, loop: Loop | null): IrInstruction {
  const inside = [...(loop?.blocks ?? [header])]
    .flatMap(({ instructions }) => instructions)
    .filter(({ location }) => location !== null);
  return (
    inside.find(isCommunication) ??
    inside.find(({ block }) => block === header) ??
    (header.instructions[0] as IrInstruction)
  );
}

export function accessOf(i: IrInstruction): Site["access"] {
  switch (i.op) {
    case "load": {
      const bytes = accessBytes(i.type);
      return { bytes, align: requiredAlign(i, bytes), kind: "load" };
    }
    case "store": {
      const bytes = accessBytes(i.value.type);
      return { bytes, align: requiredAlign(i, bytes), kind: "store" };
    }
    case "atomicrmw": {
      const bytes = accessBytes(i.type);
      return { bytes, align: bytes, kind: "atomic" };
    }
    case "cmpxchg": {
      const bytes = accessBytes(i.expected.type);
      return { bytes, align: bytes, kind: "atomic" };
    }
    case "call":
      return {
        bytes: 0,
        align: 1,
        kind: (calledIntrinsic(i)?.memoryRange ?? null) === null ? "load" : "store",
      };
    default:
      return null;
  }
}
