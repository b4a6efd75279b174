/**
 * Readable names from mangled ones (Itanium C++ ABI, section 5.1), for messages: `_Z6reduceIfLi256EEvPT_` is
 * `reduce<float, 256>`.
 *
 * Reads the name, its scopes and simple template arguments; parameters are left out. What it cannot read it returns as
 * it is.
 */

/** <builtin-type>, section 5.1.5.2. */
export const BUILTIN_TYPES: Readonly<Record<string, string>> = {
  v: "void",
  b: "bool",
  c: "char",
  a: "signed char",
  h: "unsigned char",
  s: "short",
  t: "unsigned short",
  i: "int",
  j: "unsigned int",
  l: "long",
  m: "unsigned long",
  x: "long long",
  y: "unsigned long long",
  f: "float",
  d: "double",
  w: "wchar_t",
  n: "__int128",
  o: "unsigned __int128",
};

class Reader {
  readonly text: string;
  at = 0;
  constructor(text: string) {
    this.text = text;
  }
  take(prefix: string): boolean {
    if (!this.text.startsWith(prefix, this.at)) return false;
    this.at += prefix.length;
    return true;
  }
  fail(): never {
    throw new RangeError(this.text);
  }
  sourceName(): string | null {
    const match = /^\d+/.exec(this.text.slice(this.at, this.at + 6));
    if (match === null) return null;
    const start = this.at + match[0].length;
    this.at = start + Number(match[0]);
    const name = this.text.slice(start, this.at);
    return name.startsWith("_GLOBAL__N") ? "(anonymous namespace)" : name;
  }
  name(): string {
    if (this.take("N")) {
      while (this.take("K") || this.take("V") || this.take("r")) {
        /* qualifiers of a member function */
      }
      const parts: string[] = [];
      while (!this.take("E")) {
        if (this.text[this.at] === "I") parts.push((parts.pop() ?? "") + this.templateArguments());
        else if (this.take("St")) parts.push("std");
        else if (this.take("L")) continue;
        else parts.push(this.sourceName() ?? this.fail());
      }
      return parts.join("::");
    }
    const scope = this.take("St") ? "std::" : "";
    this.take("L");
    const base = scope + (this.sourceName() ?? this.fail());
    return this.text[this.at] === "I" ? base + this.templateArguments() : base;
  }
  templateArguments(): string {
    this.at++;
    const list: string[] = [];
    while (!this.take("E")) {
      if (this.take("J")) {
        while (!this.take("E")) list.push(this.argument());
      } else list.push(this.argument());
    }
    return `<${list.join(", ")}>`;
  }
  argument(): string {
    if (!this.take("L")) return this.type();
    const type = this.type();
    const match = /^n?\d+/.exec(this.text.slice(this.at)) ?? this.fail();
    this.at += match[0].length;
    if (!this.take("E")) this.fail();
    const value = match[0].replace("n", "-");
    if (type === "bool") return value === "0" ? "false" : "true";
    return /^[a-z ]+$/.test(type) ? value : `(${type})${value}`;
  }
  type(): string {
    if (this.take("P")) return `${this.type()}*`;
    if (this.take("R")) return `${this.type()}&`;
    if (this.take("O")) return `${this.type()}&&`;
    if (this.take("K")) return `const ${this.type()}`;
    if (this.take("DF16_") || this.take("Dh")) return "half";
    if (this.take("DF16b")) return "bfloat16";
    const builtin = BUILTIN_TYPES[this.text[this.at] ?? ""];
    if (builtin !== undefined) {
      this.at++;
      return builtin;
    }
    return this.name();
  }
}

/**
 * A variable of a function, `_ZZ<function>E<name>`: its own name, which is what stands last, but for a number that
 * tells its namesakes apart.
 */
function localName(mangled: string): string {
  for (let end = mangled.lastIndexOf("E"); end > 0; end = mangled.lastIndexOf("E", end - 1)) {
    const match = /^(\d+)(\w+)$/.exec(mangled.slice(end + 1));
    const length = Number(match?.[1]);
    const name = match?.[2] as string;
    if (match !== null && length <= name.length && /^(_\d*_?)?$/.test(name.slice(length))) return name.slice(0, length);
  }
  throw new RangeError(mangled);
}

export function demangle(mangled: string): string {
  if (!mangled.startsWith("_Z")) return mangled;
  try {
    const reader = new Reader(mangled);
    reader.at = 2;
    return reader.take("Z") ? localName(mangled) : reader.name();
  } catch (error) {
    if (error instanceof RangeError) return mangled;
    throw error;
  }
}
