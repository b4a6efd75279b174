/** A method for each instruction of opcodes.ts: their types, and the methods themselves. */
import {
  LANE_CODES,
  MEMORY_CODES,
  MEMORY_LANE_CODES,
  PLAIN_CODES,
  methodName,
  type LaneName,
  type MemoryLaneName,
  type MemoryName,
  type MethodName,
  type PlainName,
} from "./opcodes.ts";

export type PlainMethods<Builder> = { [K in PlainName as MethodName<K>]: () => Builder };
export type MemoryMethods<Builder> = {
  [K in MemoryName as MethodName<K>]: (offset?: number, align?: number) => Builder;
};
export type LaneMethods<Builder> = { [K in LaneName as MethodName<K>]: (lane: number) => Builder };
export type MemoryLaneMethods<Builder> = {
  [K in MemoryLaneName as MethodName<K>]: (lane: number, offset?: number, align?: number) => Builder;
};

/** What the methods write with. */
export interface InstructionWriter {
  opcode(code: number): void;
  memoryArgument(align: number, offset: number): void;
  byte(value: number): void;
}

export function addInstructionMethods(target: InstructionWriter): void {
  const prototype = target as unknown as Record<string, unknown>;

  for (const [name, code] of Object.entries(PLAIN_CODES)) {
    prototype[methodName(name)] = function (this: InstructionWriter): InstructionWriter {
      this.opcode(code);
      return this;
    };
  }

  for (const [name, code] of Object.entries(LANE_CODES)) {
    prototype[methodName(name)] = function (this: InstructionWriter, lane: number): InstructionWriter {
      this.opcode(code);
      this.byte(lane);
      return this;
    };
  }

  for (const [name, [code, bytes]] of Object.entries(MEMORY_CODES)) {
    prototype[methodName(name)] = function (
      this: InstructionWriter,
      offset = 0,
      align: number = bytes,
    ): InstructionWriter {
      this.opcode(code);
      this.memoryArgument(align, offset);
      return this;
    };
  }

  for (const [name, [code, bytes]] of Object.entries(MEMORY_LANE_CODES)) {
    prototype[methodName(name)] = function (
      this: InstructionWriter,
      lane: number,
      offset = 0,
      align: number = bytes,
    ): InstructionWriter {
      this.opcode(code);
      this.memoryArgument(align, offset);
      this.byte(lane);
      return this;
    };
  }
}
