/**
 * Reads a module in PTX (PTX ISA 8.5, chapters 4, 5, 7 and 11). Functions' bodies are read by body-parser.ts.
 *
 * Debug sections and directives for assemblers alone are skipped.
 */
import { parseBody } from "./body-parser.ts";
import { readParameters } from "./signature-parser.ts";
import { SourceLines } from "./source-lines.ts";
import type { PtxFunction, PtxLinkage, PtxModuleSyntax, PtxSpace, PtxVariable } from "./syntax.ts";
import { TokenReader } from "./token-reader.ts";
import { PtxText } from "./tokens.ts";
import { readVariables } from "./variable-parser.ts";

const LINKAGES: Readonly<Record<string, PtxLinkage>> = {
  ".visible": "visible",
  ".extern": "extern",
  ".weak": "weak",
  ".common": "common",
};
const SPACES: Readonly<Record<string, PtxSpace>> = {
  ".global": "global",
  ".const": "const",
  ".shared": "shared",
  ".local": "local",
  ".param": "param",
};
const NEWEST = { major: 9, minor: 3 };
/** With their numbers; the others have none. */
const NUMBERED = new Set([".maxntid", ".reqntid", ".minnctapersm", ".maxnctapersm", ".maxnreg", ".reqnctapercluster"]);
const PLAIN = new Set([".noreturn", ".explicitcluster", ".maxclusterrank", ".blocksareclusters"]);

/** @throws HeddleError "compile-error" or "unsupported" with the place. @param name of the text, in messages. */
export function parseModulePtx(text: string, name: string): PtxModuleSyntax {
  return new ModuleParser(new PtxText(name, text)).parse();
}

class ModuleParser {
  readonly #source: PtxText;
  readonly #tokens: TokenReader;
  readonly #lines: SourceLines;
  readonly #variables: PtxVariable[] = [];
  readonly #functions: PtxFunction[] = [];
  readonly #aliases: Map<string, string> = new Map();
  #version: PtxModuleSyntax["version"] | null = null;
  #target: string[] | null = null;
  #addressBits: 32 | 64 = 32;

  constructor(source: PtxText) {
    this.#source = source;
    this.#tokens = new TokenReader(source);
    this.#lines = new SourceLines(this.#tokens);
  }

  parse(): PtxModuleSyntax {
    const tokens = this.#tokens;
    while (tokens.peek().kind !== "end") {
      if (tokens.accept(";")) continue;
      this.#directive();
    }
    return {
      version: this.#version ?? tokens.fail("the module does not begin with .version", 0),
      target: this.#target ?? tokens.fail("the module has no .target", 0),
      addressBits: this.#addressBits,
      variables: this.#variables,
      functions: this.#functions,
      aliases: this.#aliases,
    };
  }

  #directive(): void {
    const tokens = this.#tokens;
    const { text, at, kind } = tokens.peek();
    if (kind !== "word" || !text.startsWith(".")) tokens.fail(`expected a directive, not '${text}'`);
    if (this.#version === null && text !== ".version") tokens.fail("the module does not begin with .version", at);
    switch (text) {
      case ".version":
        return this.#readVersion();
      case ".target": {
        tokens.next();
        const target: string[] = [];
        this.#target = target;
        do target.push(tokens.word());
        while (tokens.accept(","));
        return;
      }
      case ".address_size": {
        tokens.next();
        const bits = tokens.integer();
        if (bits !== 32 && bits !== 64) return tokens.fail("the size of addresses is 32 or 64", at);
        this.#addressBits = bits;
        return;
      }
      case ".file":
        return this.#lines.file();
      case ".loc":
        return void this.#lines.loc();
      case ".section":
        return this.#skipSection();
      case ".pragma":
        return tokens.skipStatement();
      case ".alias":
        return this.#alias();
      default:
        this.#declaration();
    }
  }

  #readVersion(): void {
    const tokens = this.#tokens;
    tokens.next();
    const { text, at } = tokens.next();
    const [, major, minor] = /^(\d+)\.(\d+)$/.exec(text) ?? tokens.fail("expected a version, as 8.4", at);
    this.#version = { major: Number(major), minor: Number(minor) };
    if (this.#version.major > NEWEST.major || this.#version.major < 1)
      throw this.#source.unsupported(at, `PTX of version ${text}`);
  }

  /** .section .debug_info { … } */
  #skipSection(): void {
    const tokens = this.#tokens;
    tokens.next();
    tokens.next();
    tokens.expect("{");
    for (let depth = 1; depth > 0;) {
      const { text, kind, at } = tokens.next();
      if (kind === "end") tokens.fail("the section has no end", at);
      if (text === "{") depth++;
      else if (text === "}") depth--;
    }
  }

  #alias(): void {
    const tokens = this.#tokens;
    tokens.next();
    const name = tokens.word();
    tokens.expect(",");
    this.#aliases.set(name, tokens.word());
    tokens.expect(";");
  }

  /** A variable or a function, with its linkage. */
  #declaration(): void {
    const tokens = this.#tokens;
    let linkage: PtxLinkage = "internal";
    for (let given = LINKAGES[tokens.peek().text]; given !== undefined; given = LINKAGES[tokens.peek().text]) {
      linkage = given;
      tokens.next();
    }
    const { text, at } = tokens.peek();
    if (text === ".entry" || text === ".func") return this.#function(linkage);
    const space = SPACES[text.split(".").length > 2 ? `.${text.split(".")[1] ?? ""}` : text];
    if (text === ".tex" || text === ".reg" || text === ".sreg")
      throw this.#source.unsupported(at, `a ${text} variable of a module`);
    if (space === undefined || space === "param") tokens.fail(`unknown directive '${text}'`, at);
    this.#variables.push(...readVariables(tokens, { linkage, hasInitializer: true }));
    tokens.expect(";");
  }

  #function(linkage: PtxLinkage): void {
    const tokens = this.#tokens;
    const isEntry = tokens.next().text === ".entry";
    const directives = new Map<string, readonly number[]>();
    this.#functionDirectives(directives);
    const results = !isEntry && tokens.peek().text === "(" ? readParameters(tokens) : [];
    const { at } = tokens.peek();
    const name = tokens.word();
    const params = tokens.peek().text === "(" ? readParameters(tokens) : [];
    this.#functionDirectives(directives);
    const signature = { name, isEntry, linkage, results, params, directives, at };
    if (tokens.accept(";")) {
      this.#functions.push({ ...signature, body: null });
      return;
    }
    if (tokens.peek().text !== "{") tokens.fail(`expected the body of ${name}, or ';'`);
    const body = parseBody(tokens, this.#lines, signature);
    this.#functions.push({ ...signature, body });
  }

  #functionDirectives(directives: Map<string, readonly number[]>): void {
    const tokens = this.#tokens;
    for (;;) {
      const { text } = tokens.peek();
      if (NUMBERED.has(text) || PLAIN.has(text)) {
        tokens.next();
        const numbers: number[] = [];
        if (tokens.peek().kind === "number") {
          do numbers.push(tokens.integer());
          while (tokens.accept(","));
        }
        directives.set(text.slice(1), numbers);
      } else if (text === ".pragma") tokens.skipStatement();
      else if (text === ".attribute") {
        tokens.next();
        tokens.skipParentheses();
      } else if (text === ".abi_preserve" || text === ".abi_preserve_control") {
        tokens.next();
        tokens.integer();
      } else if (text === ".loc") this.#lines.loc();
      else return;
    }
  }
}
