/**
 * The C++ types of a kernel's parameters, from its mangled name (Itanium C++ ABI, section 5.1): device IR has one
 * pointer type, and arguments can be checked far better with `const float*`. What this does not understand has no
 * types, and is not checked.
 */
import { BUILTIN_TYPES } from "./demangle.ts";

/** For each parameter its type, without `const`: "float*", "int", "Params"; null when the name does not tell. */
export function parameterTypes(mangled: string): string[] | null {
  if (!mangled.startsWith("_Z")) return null;
  try {
    return new SignatureReader(mangled.slice(2)).read();
  } catch (error) {
    if (error instanceof UnreadableName) return null;
    throw error;
  }
}

class UnreadableName extends Error {}

class SignatureReader {
  readonly #text: string;
  #at = 0;
  /** Everything that S_, S0_, … may refer to, in order. */
  readonly #substitutions: string[] = [];
  #templateArguments: string[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  read(): string[] {
    const isTemplate = this.#name(true);
    // Function templates have their result type first.
    if (isTemplate && this.#type() !== "void") throw new UnreadableName();
    const types: string[] = [];
    while (this.#at < this.#text.length) types.push(this.#type());
    return types.length === 1 && types[0] === "void" ? [] : types;
  }

  #take(prefix: string): boolean {
    if (!this.#text.startsWith(prefix, this.#at)) return false;
    this.#at += prefix.length;
    return true;
  }

  #substitutable(text: string): string {
    this.#substitutions.push(text);
    return text;
  }

  /** Whether it ends in template arguments, which T_ then refers to when this is the function. */
  #name(isFunction: boolean): boolean {
    let isTemplate = false;
    const arguments_ = (): void => {
      const list = this.#arguments();
      if (isFunction) this.#templateArguments = list;
      isTemplate = true;
    };
    if (this.#take("N")) {
      let prefix = "";
      while (!this.#take("E")) {
        if (this.#text[this.#at] === "I") {
          arguments_();
          prefix += "<>";
        } else {
          prefix += `::${this.#sourceName()}`;
          isTemplate = false;
        }
        // The whole name of the function is no candidate.
        if (!(isFunction && this.#text[this.#at] === "E")) this.#substitutable(prefix);
      }
      return isTemplate;
    }
    const name = this.#sourceName();
    if (this.#text[this.#at] === "I") {
      this.#substitutable(name);
      arguments_();
    }
    return isTemplate;
  }

  #sourceName(): string {
    this.#take("L");
    const digits = /^\d+/.exec(this.#text.slice(this.#at))?.[0];
    if (digits === undefined) throw new UnreadableName();
    const start = this.#at + digits.length;
    this.#at = start + Number(digits);
    return this.#text.slice(start, this.#at);
  }

  #arguments(): string[] {
    this.#at++; // I
    const list: string[] = [];
    while (!this.#take("E")) {
      if (this.#take("L")) {
        this.#type();
        if (!/^n?\d+E/.test(this.#text.slice(this.#at))) throw new UnreadableName();
        this.#at = this.#text.indexOf("E", this.#at) + 1;
        list.push("value");
      } else list.push(this.#type());
    }
    return list;
  }

  #type(): string {
    if (this.#take("P")) return this.#substitutable(`${this.#type()}*`);
    if (this.#take("r")) return this.#type(); // __restrict__, on function parameters not mangled at the top
    if (this.#take("K")) return this.#substitutable(this.#type());
    if (this.#take("V")) return this.#substitutable(this.#type());
    if (this.#take("DF16b")) return "__bf16";
    if (this.#take("DF16_") || this.#take("Dh")) return "_Float16";
    if (this.#take("S")) return this.#substitutions[this.#sequence()] ?? this.#fail();
    if (this.#take("T")) return this.#substitutable(this.#templateArguments[this.#sequence()] ?? this.#fail());
    const builtin = BUILTIN_TYPES[this.#text[this.#at] ?? ""];
    if (builtin !== undefined) {
      this.#at++;
      return builtin;
    }
    if (!/[\dN]/.test(this.#text[this.#at] ?? "")) this.#fail();
    if (this.#text[this.#at] === "N") {
      this.#name(false);
      return (this.#substitutions.at(-1) ?? this.#fail()).replace(/^::/, "");
    }
    const name = this.#sourceName();
    this.#substitutable(name);
    if (this.#text[this.#at] === "I") {
      this.#arguments();
      return this.#substitutable(`${name}<>`);
    }
    return name;
  }

  /** `_` is 0, `0_` is 1, …, base 36. */
  #sequence(): number {
    const match = /^([0-9A-Z]*)_/.exec(this.#text.slice(this.#at));
    if (match === null) return this.#fail();
    this.#at += match[0].length;
    return match[1] === "" ? 0 : Number.parseInt(match[1] as string, 36) + 1;
  }

  #fail(): never {
    throw new UnreadableName();
  }
}
