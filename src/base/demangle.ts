/**
 * Readable names from mangled ones (Itanium C++ ABI, section 5.1), for messages: `_Z6reduceIfLi256EEvPT_` is
 * `reduce<float, 256>`, and a kernel that is instantiated with a lambda of main is `each<main::lambda>`.
 *
 * Reads names, their scopes and template arguments; parameters are left out. Where it cannot read the arguments of a
 * template, they are `…`; what it cannot read at all it returns as it is.
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
const FURTHER_TYPES: Readonly<Record<string, string>> = {
  ...BUILTIN_TYPES,
  e: "long double",
  g: "__float128",
  z: "...",
  Dh: "half",
  DF16_: "half",
  DF16b: "bfloat16",
  Dn: "std::nullptr_t",
  Di: "char32_t",
  Ds: "char16_t",
  Du: "char8_t",
  Da: "auto",
  Dc: "decltype(auto)",
};
/** What stands before another type. */
const QUALIFIERS: Readonly<Record<string, (type: string) => string>> = {
  P: (type) => `${type}*`,
  R: (type) => `${type}&`,
  O: (type) => `${type}&&`,
  K: (type) => `const ${type}`,
  V: (type) => `volatile ${type}`,
  r: (type) => type,
  Dp: (type) => type,
};
/** <substitution>, section 5.1.8. */
const STANDARD: Readonly<Record<string, string>> = {
  Sa: "std::allocator",
  Sb: "std::basic_string",
  Ss: "std::string",
  Si: "std::istream",
  So: "std::ostream",
  Sd: "std::iostream",
};
/** <operator-name>, section 5.1.3. */
const OPERATORS = new Map(
  (
    "nw new,na new[],dl delete,da delete[],ng -,ad &,de *,co ~,pl +,mi -,ml *,dv /,rm %,an &,or |,eo ^,aS =,pL +=," +
    "mI -=,mL *=,dV /=,rM %=,aN &=,oR |=,eO ^=,ls <<,rs >>,lS <<=,rS >>=,eq ==,ne !=,lt <,gt >,le <=,ge >=,ss <=>," +
    "nt !,aa &&,oo ||,pp ++,mm --,pm ->*,pt ->,cl (),ix []"
  )
    .split(",")
    .concat("cm ,")
    .map((row) => [row.slice(0, 2), `operator${/^[a-z]/.test(row.slice(3)) ? " " : ""}${row.slice(3)}`]),
);

class Reader {
  readonly text: string;
  at = 0;
  /** The name without the template arguments that are being read. */
  started = "";
  readonly #known: string[] = [];
  #arguments: readonly string[] = [];

  constructor(text: string, at: number) {
    this.text = text;
    this.at = at;
  }

  take(prefix: string): boolean {
    if (!this.text.startsWith(prefix, this.at)) return false;
    this.at += prefix.length;
    return true;
  }

  /** A name: of a function or variable, or, if it `isType`, of a type. */
  name(isType: boolean): string {
    if (this.take("N")) return this.#nested(isType);
    if (this.take("Z")) return this.#local();
    const isStandard = this.take("St");
    const substituted = isStandard || this.text[this.at] !== "S" ? null : this.#substitution();
    const base = substituted ?? (isStandard ? "std::" : "") + (this.#unqualified() ?? this.#fail());
    if (this.text[this.at] !== "I") return isType && substituted === null ? this.#learn(base) : base;
    if (substituted === null) this.#learn(base);
    const made = base + this.#templateArguments(base);
    return isType ? this.#learn(made) : made;
  }

  #fail(): never {
    throw new RangeError(this.text);
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    const match = pattern.exec(this.text.slice(this.at));
    if (match !== null) this.at += match[0].length;
    return match;
  }

  #learn(what: string): string {
    this.#known.push(what);
    return what;
  }

  /** The number of a namesake: none is the first. */
  #sequence(): number {
    const digits = this.#match(/^([0-9]*)_/) ?? this.#fail();
    return digits[1] === "" ? 0 : Number(digits[1]) + 1;
  }

  #unqualified(): string | null {
    this.take("L");
    const length = this.#match(/^\d+/);
    if (length !== null) {
      const name = this.text.slice(this.at, this.at + Number(length[0]));
      this.at += Number(length[0]);
      this.#match(/^(B\d+[a-z]\w*?(?=[EIB]|$))+/);
      return name.startsWith("_GLOBAL__N") ? "(anonymous namespace)" : name;
    }
    if (this.take("Ul")) {
      while (!this.take("E")) this.#type();
      const number = this.#sequence();
      return number === 0 ? "lambda" : `lambda#${number + 1}`;
    }
    if (this.take("Ut")) {
      const number = this.#sequence();
      return number === 0 ? "unnamed" : `unnamed#${number + 1}`;
    }
    if (this.take("cv")) return `operator ${this.#type()}`;
    const operator = OPERATORS.get(this.text.slice(this.at, this.at + 2));
    if (operator === undefined) return null;
    this.at += 2;
    return operator;
  }

  #nested(isType: boolean): string {
    this.#match(/^[rVK]*[RO]?/);
    let path = "";
    for (;;) {
      if (this.text[this.at] === "I") path += this.#templateArguments(path);
      else if (this.take("St")) {
        path = "std";
        continue;
      } else if (this.text[this.at] === "S") {
        path = this.#substitution();
        continue;
      } else if (this.#match(/^T\d*_/) !== null) path = "T";
      else if (this.#match(/^C[123]/) !== null) path += `::${path.replace(/<.*$/, "").split("::").at(-1)}`;
      else if (this.#match(/^D[0124]/) !== null) path += `::~${path.replace(/<.*$/, "").split("::").at(-1)}`;
      else path += (path === "" ? "" : "::") + (this.#unqualified() ?? this.#fail());
      this.take("M");
      const isLast = this.take("E");
      if (!isLast || isType) this.#learn(path);
      if (isLast) return path;
    }
  }

  /** What is declared in a function. */
  #local(): string {
    const scope = this.#encoding();
    if (!this.take("E")) this.#fail();
    if (this.take("s")) {
      this.#match(/^_\d+|^__\d+_/);
      return scope;
    }
    this.#match(/^d\d*_/);
    const entity = this.name(false);
    this.#match(/^_\d|^__\d+_/);
    return this.#learn(`${scope}::${entity}`);
  }

  /** A function with its parameters; the name alone is kept. */
  #encoding(): string {
    const name = this.name(false);
    while (this.at < this.text.length && this.text[this.at] !== "E") this.#type();
    return name;
  }

  #substitution(): string {
    const standard = STANDARD[this.text.slice(this.at, this.at + 2)];
    if (standard !== undefined) {
      this.at += 2;
      return standard;
    }
    const [, digits] = this.#match(/^S([0-9A-Z]*)_/) ?? this.#fail();
    return this.#known[digits === "" ? 0 : parseInt(digits as string, 36) + 1] ?? this.#fail();
  }

  #templateArguments(of: string): string {
    this.started = of;
    this.at++;
    const list: string[] = [];
    while (!this.take("E")) {
      if (this.take("J")) {
        while (!this.take("E")) list.push(this.#argument());
      } else list.push(this.#argument());
    }
    this.#arguments = list;
    return `<${list.join(", ")}>`;
  }

  #argument(): string {
    const address = this.#match(/^(?:XadL|L)_Z/);
    if (address !== null) {
      const name = this.#encoding();
      return this.take(address[0].startsWith("X") ? "EE" : "E") ? `&${name}` : this.#fail();
    }
    if (!this.take("L")) return this.#type();
    const type = this.#type();
    const [, value] = this.#match(/^(n?\w*?)E/) ?? this.#fail();
    if (type === "bool") return value === "0" ? "false" : "true";
    const number = (value as string).replace(/^n/, "-");
    return /^[a-z ]+$/.test(type) ? number : `(${type})${number}`;
  }

  #type(): string {
    for (const length of [5, 2, 1]) {
      const text = this.text.slice(this.at, this.at + length);
      const builtin = FURTHER_TYPES[text];
      const qualify = QUALIFIERS[text];
      if (builtin === undefined && qualify === undefined) continue;
      this.at += length;
      return builtin ?? this.#learn((qualify as (type: string) => string)(this.#type()));
    }
    return this.#compoundType() ?? this.name(true);
  }

  #compoundType(): string | null {
    const parameter = this.#match(/^T(\d*)_/);
    if (parameter !== null) {
      const [, digits] = parameter;
      return this.#learn(this.#arguments[digits === "" ? 0 : Number(digits) + 1] ?? "auto");
    }
    const vector = this.#match(/^Dv(\d+)_/);
    if (vector !== null) return this.#learn(`${this.#type()} vector[${vector[1]}]`);
    const array = this.#match(/^A(\d*)_/);
    if (array !== null) return this.#learn(`${this.#type()}[${array[1]}]`);
    if (this.take("M")) {
      const owner = this.#type();
      return this.#learn(`${this.#type()} ${owner}::*`);
    }
    if (this.take("F")) {
      this.take("Y");
      const [result, ...parameters] = this.#typesTo("E");
      return this.#learn(`${result}(${parameters.filter((type) => type !== "void").join(", ")})`);
    }
    // An address space, which no programmer writes.
    if (this.#match(/^U(\d+)AS\d+/) !== null) return this.#learn(this.#type());
    return null;
  }

  #typesTo(end: string): string[] {
    const list: string[] = [];
    while (!this.take(end)) list.push(this.#type());
    return list;
  }
}

/**
 * A variable of a function, `_ZZ<function>E<name>`: its own name, which is what stands last, but for a number that
 * tells its namesakes apart. null: it is no variable.
 */
function localVariable(mangled: string): string | null {
  for (let end = mangled.lastIndexOf("E"); end > 0; end = mangled.lastIndexOf("E", end - 1)) {
    const match = /^(\d+)(\w+)$/.exec(mangled.slice(end + 1));
    const length = Number(match?.[1]);
    const name = match?.[2] as string;
    if (match !== null && length <= name.length && /^(_\d*_?)?$/.test(name.slice(length))) return name.slice(0, length);
  }
  return null;
}

export function demangle(mangled: string): string {
  if (!mangled.startsWith("_Z")) return mangled;
  const local = mangled.startsWith("_ZZ") ? localVariable(mangled) : null;
  if (local !== null) return local;
  const reader = new Reader(mangled, 2);
  try {
    return reader.name(false);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return reader.started === "" ? mangled : `${reader.started}<…>`;
  }
}
