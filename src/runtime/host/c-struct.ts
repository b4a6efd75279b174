/**
 * Structures of C in the host program's memory, declared field by field as in the header. Offsets follow from the data
 * model (System V ABI: a field is aligned to its own alignment, a structure to that of its widest field).
 */
import { bug } from "../../base/diagnostics.ts";
import { alignUp } from "../../base/align.ts";
import type { DataModel } from "../../base/data-model.ts";
import type { HostMemory } from "./host-memory.ts";

/** "size" is size_t. An array's count stands behind its element. */
export type CType = "int" | "uint" | "float" | "size" | "pointer" | CStruct<string> | readonly [CType, number];

interface Field {
  readonly type: CType;
  readonly offset: number;
}

interface StructLayout {
  readonly fields: ReadonlyMap<string, Field>;
  readonly size: number;
  readonly align: number;
}

export class CStruct<Name extends string> {
  readonly #fields: readonly (readonly [Name, CType])[];
  readonly #layouts: Map<DataModel, StructLayout> = new Map();

  constructor(fields: Readonly<Record<Name, CType>>) {
    this.#fields = Object.entries(fields) as [Name, CType][];
  }

  layout(model: DataModel): StructLayout {
    let layout = this.#layouts.get(model);
    if (layout === undefined) this.#layouts.set(model, (layout = this.#compute(model)));
    return layout;
  }

  #compute(model: DataModel): StructLayout {
    const fields = new Map<string, Field>();
    let end = 0;
    let align = 1;
    for (const [name, type] of this.#fields) {
      const own = sizeAndAlign(type, model);
      const offset = alignUp(end, own.align);
      fields.set(name, { type, offset });
      end = offset + own.size;
      align = Math.max(align, own.align);
    }
    return { fields, size: alignUp(end, align), align };
  }

  size(model: DataModel): number {
    return this.layout(model).size;
  }

  offset(model: DataModel, name: Name): number {
    return this.#field(model, name).offset;
  }

  /** Numbers, and addresses of fields that are structures or arrays. */
  read(memory: HostMemory, address: number): Readonly<Record<Name, number>> {
    const values: [string, number][] = [];
    for (const [name, { type, offset }] of this.layout(memory.model).fields)
      values.push([name, readValue(memory, type, address + offset)]);
    return Object.fromEntries(values) as Record<Name, number>;
  }

  /** Writes these fields; the others stay as they are. */
  write(memory: HostMemory, address: number, values: Readonly<Partial<Record<Name, number>>>): void {
    for (const [name, value] of Object.entries(values) as [Name, number][]) {
      const { type, offset } = this.#field(memory.model, name);
      writeValue(memory, type, address + offset, value);
    }
  }

  #field(model: DataModel, name: Name): Field {
    return this.layout(model).fields.get(name) as Field;
  }
}

function sizeAndAlign(type: CType, model: DataModel): { readonly size: number; readonly align: number } {
  if (type instanceof CStruct) return type.layout(model);
  if (typeof type === "object") {
    const [element, count] = type;
    const own = sizeAndAlign(element, model);
    return { size: own.size * count, align: own.align };
  }
  const size = type === "pointer" || type === "size" ? model.pointerBytes : 4;
  return { size, align: size };
}

function readValue(memory: HostMemory, type: CType, address: number): number {
  switch (type) {
    case "int":
      return memory.i32(address);
    case "uint":
      return memory.u32(address);
    case "float":
      return memory.f32(address);
    case "size":
    case "pointer":
      return memory.pointer(address);
    default:
      return address;
  }
}

function writeValue(memory: HostMemory, type: CType, address: number, value: number): void {
  switch (type) {
    case "int":
      return memory.setI32(address, value);
    case "uint":
      return memory.setU32(address, value);
    case "float":
      return memory.setF32(address, value);
    case "size":
    case "pointer":
      return memory.setPointer(address, value);
    default:
      return bug("a field that is a structure or an array is written through its own fields");
  }
}
