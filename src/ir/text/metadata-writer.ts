/** The metadata of a module that is printed: print.ts asks for a node and gets its number, `lines` are the nodes. */
import type { SourceLocation } from "../../base/diagnostics.ts";
import type { IrFunction } from "../model/ir.ts";
import { quoteString } from "../model/types.ts";

/** Numbers the nodes that locations and loops need, each once. */
export class MetadataWriter {
  readonly lines: string[] = [];
  readonly #locations = new Map<SourceLocation, number>();
  readonly #keys = new Map<string, number>();

  #add(text: (id: number) => string): number {
    const id = this.lines.length;
    this.lines.push("");
    this.lines[id] = `!${id} = ${text(id)}`;
    return id;
  }

  #once(key: string, text: (id: number) => string): number {
    const known = this.#keys.get(key);
    if (known !== undefined) return known;
    const id = this.#add(text);
    this.#keys.set(key, id);
    return id;
  }

  #file(file: string): number {
    return this.#once(`file ${file}`, () => `!DIFile(filename: ${quoteString(file)}, directory: "")`);
  }

  subprogram(file: string, name: string, line: number, owner: IrFunction | null): number {
    const fileId = this.#file(file);
    const key = owner === null ? `scope ${file}\0${name}` : `subprogram ${owner.name}`;
    return this.#once(
      key,
      () =>
        `distinct !DISubprogram(name: ${quoteString(name)}, file: !${fileId}, line: ${line}, ` +
        "spFlags: DISPFlagOptimized)",
    );
  }

  location(location: SourceLocation): number {
    const known = this.#locations.get(location);
    if (known !== undefined) return known;
    const scope =
      location.functionName === undefined
        ? this.#file(location.file)
        : this.subprogram(location.file, location.functionName, 0, null);
    const inlined = location.inlinedAt === undefined ? "" : `, inlinedAt: !${this.location(location.inlinedAt)}`;
    const id = this.#add(
      () =>
        `${inlined === "" ? "" : "distinct "}!DILocation(line: ${location.line}, column: ` +
        `${location.column}, scope: !${scope}${inlined})`,
    );
    this.#locations.set(location, id);
    return id;
  }

  empty(): number {
    return this.#once("empty", () => "!{}");
  }

  one(): number {
    return this.#once("one", () => "!{i32 1}");
  }

  loop(properties: string): number {
    const ids =
      properties === ""
        ? []
        : properties.split(",").map((property) => {
            const [name = "", ...rest] = property.split(" ");
            const values = rest.length === 0 ? "" : `, ${rest.join(" ")}`;
            return this.#once(`property ${property}`, () => `!{!${quoteString(name)}${values}}`);
          });
    return this.#once(`loop ${properties}`, (id) => `distinct !{${[id, ...ids].map((n) => `!${n}`).join(", ")}}`);
  }
}
