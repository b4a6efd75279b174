/** Intrinsics and device runtime functions that read or write memory. */
import { PRINT_FUNCTIONS, WIDE_PRINTF, type LongBytes } from "../../ir/intrinsics/print-functions.ts";
import type { AtomicFacts, IntrinsicFacts } from "../../ir/intrinsics/facts.ts";
import { bug } from "../../base/diagnostics.ts";
import { formatPrintf } from "../../base/printf-format.ts";
import type { CallInstruction, IrType } from "../../ir/model/ir.ts";
import { pointerBitsOf } from "../../ir/model/layout.ts";
import { ptrType } from "../../ir/model/types.ts";
import { atomicOperation } from "./atomics.ts";
import type { Grid } from "./grid.ts";
import { checkedLoad, checkedStore, ChildFault, type DeviceMemory } from "./memory.ts";
import type { Frame, Thread } from "./thread.ts";
import type { Value } from "./value.ts";

export type MemoryFunction = (args: readonly Value[], thread: Thread, frame: Frame) => Value;

/** The meaning of a "memory" intrinsic of the table at this call. */
export function memoryIntrinsic(facts: IntrinsicFacts, call: CallInstruction, grid: Grid): MemoryFunction {
  const { memory } = grid;
  const { asyncCopy } = facts;
  if (facts.isFence) return () => 0;
  if (facts.isReadOnlyLoad) {
    const align = call.args[1];
    const load = checkedLoad(call.type, align?.kind === "const-int" ? Number(align.value) : 0);
    return ([pointer]) => load(memory, pointer as number);
  }
  if (facts.atomic !== null) return nvvmAtomic(facts.atomic, call.type, memory);
  if (asyncCopy !== null) {
    const { bytes } = asyncCopy;
    return ([destination, source, given]) => {
      const count = given === undefined ? bytes : Math.min(bytes, given as number);
      memory.copyWithin(destination as number, source as number, count);
      memory.fill((destination as number) + count, 0, bytes - count);
      return 0;
    };
  }
  if (facts.memoryRange === "memset")
    return ([destination, value, count]) => {
      memory.fill(destination as number, value as number, Number(count));
      return 0;
    };
  if (facts.memoryRange !== null)
    return ([destination, source, count]) => {
      memory.copyWithin(destination as number, source as number, Number(count));
      return 0;
    };
  return runtimeFunction(facts.operation, grid);
}

/** The stack, variable arguments, printf and the heap. */
function runtimeFunction(operation: string, grid: Grid): MemoryFunction {
  const { memory } = grid;
  const pointer = ptrType(0, pointerBitsOf(grid.program.module));
  switch (operation) {
    case "stacksave":
      return (_, thread) => thread.stackPointer;
    case "stackrestore":
      return ([pointer], thread) => {
        thread.stackPointer = pointer as number;
        return 0;
      };
    case "va_start": {
      const store = checkedStore(pointer, 0);
      return ([list], _, frame) => {
        store(memory, list as number, frame.variadic);
        return 0;
      };
    }
    case "va_copy": {
      const [load, store] = [checkedLoad(pointer, 0), checkedStore(pointer, 0)];
      return ([destination, source]) => {
        store(memory, destination as number, load(memory, source as number));
        return 0;
      };
    }
    case "vprintf":
    case WIDE_PRINTF: {
      const longBytes = pointer.bits === 64 ? 8 : (PRINT_FUNCTIONS.get(operation) ?? 4);
      return ([format, buffer]) => {
        const args = printfArguments(memory, buffer as number, longBytes);
        grid.host.print(formatPrintf(memory.readString(format as number), args, longBytes));
        return 0;
      };
    }
    case "malloc":
      return ([bytes]) => {
        const count = Number(bytes);
        const address = grid.host.allocate(Math.max(1, count), 16, "user");
        memory.refresh();
        memory.includeWindow(address + count);
        return address;
      };
    case "free":
      return ([pointer]) => {
        if (pointer !== 0) grid.host.free(pointer as number);
        return 0;
      };
    case "__heddle_run_child_grids":
      return (_, thread) => {
        const { linear } = thread.block;
        const run = grid.host.runChildGrids ?? bug("the host runs no grids of a kernel");
        const fault = run.call(grid.host, linear);
        if (fault !== null) throw new ChildFault(fault);
        memory.refresh();
        memory.version++;
        return 1;
      };
    default:
      return bug(`no meaning for ${operation}`);
  }
}

function nvvmAtomic({ operator }: AtomicFacts, type: IrType, memory: DeviceMemory): MemoryFunction {
  const [load, store] = [checkedLoad(type, 0, "atomic"), checkedStore(type, 0, "atomic")];
  if (operator === "cas")
    return ([pointer, expected, desired]) => {
      const old = load(memory, pointer as number);
      if (old === expected) store(memory, pointer as number, desired as Value);
      return old;
    };
  const operation = atomicOperation(operator, type);
  return ([pointer, operand]) => {
    const old = load(memory, pointer as number);
    store(memory, pointer as number, operation(old, operand as Value));
    return old;
  };
}

/** vprintf's second argument: the promoted arguments one after another, each aligned to its own size. */
function printfArguments(
  memory: DeviceMemory,
  buffer: number,
  longBytes: LongBytes,
): Parameters<typeof formatPrintf>[1] {
  let cursor = buffer;
  const take = (bytes: number): number => {
    const address = Math.ceil(cursor / bytes) * bytes;
    cursor = address + bytes;
    memory.check(address, bytes, bytes, "load");
    return address;
  };
  return {
    integer: (bytes) =>
      bytes === 8 ? memory.view.getBigUint64(take(8), true) : BigInt(memory.view.getUint32(take(4), true)),
    double: () => memory.view.getFloat64(take(8), true),
    string: (limit) => {
      const place = take(longBytes);
      const pointer =
        longBytes === 8 ? Number(memory.view.getBigUint64(place, true)) : memory.view.getUint32(place, true);
      return pointer === 0 ? null : memory.readString(pointer, limit);
    },
  };
}
