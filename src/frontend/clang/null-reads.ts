/**
 * Checks of reads through null pointers in a host program's LLVM IR, as Clang's front end writes it. WebAssembly lets a
 * program read at address 0, and a program whose allocation has failed would go on with what it finds there.
 *
 * What is checked is the pointer that an address starts from: a variable's value, a function's result. In a loop it is
 * mostly the same each time, and LLVM then checks it once. Pointers that are never null (references, `this`, variables'
 * own addresses) need no check, and the C++ library's own functions have none.
 */
import { NULL_PAGE_BYTES } from "../../base/data-model.ts";
import { intrinsicOf } from "../../ir/intrinsics/lookup.ts";

const CHECK = "__heddle_check_read";
const REPORT = "__heddle_null_read";

const LIBRARY = /^define [^@]*@"?_ZN?[VK]*(?:St|Sa|Ss|Sb|Si|So|Sd|9__gnu_cxx|10__cxxabi)/;
const LABEL = /^(?:"[^"]*"|[\w.$-]+):/;
const POINTER_LOAD = /^ {2}(%[\w.]+) = load (?:volatile )?ptr, /;
const POINTER_CALL = /^ {2}(%[\w.]+) = (?:tail |musttail |notail )?call ([^@(]*)\bptr [@%]/;
const ELEMENT = /^ {2}(%[\w.]+) = getelementptr .*?, ptr (%[\w.]+)/;
const LOAD = /^ {2}%[\w.]+ = load (?:atomic )?(?:volatile )?[^,]+, ptr (%[\w.]+)/;
const CALL = /^ {2}call void @([\w.]+)\(ptr [^,]*, ptr (?:align \d+ )?(%[\w.]+)/;
const PLACE = /, !dbg !\d+/;

export function checkNullReads(ir: string): string {
  const lines: string[] = [];
  /** What an address starts from, where that may be null. */
  const bases = new Map<string, string>();
  const checked = new Set<string>();
  let isUsers = false;
  let count = 0;
  for (const line of ir.split("\n")) {
    if (line.startsWith("define ")) {
      bases.clear();
      checked.clear();
      isUsers = !LIBRARY.test(line);
    } else if (isUsers && LABEL.test(line)) checked.clear();
    else if (isUsers && line.startsWith("  ")) {
      const base = bases.get(LOAD.exec(line)?.[1] ?? copiedFrom(line) ?? "");
      if (base !== undefined && !checked.has(base)) {
        checked.add(base);
        lines.push(`  call void @${CHECK}(ptr ${base})${PLACE.exec(line)?.[0] ?? ""}`);
        count++;
      }
      noteBase(line, bases);
    }
    lines.push(line);
  }
  return count === 0 ? ir : `${lines.join("\n")}${DEFINITIONS}`;
}

/** The source of a copy of memory. */
function copiedFrom(line: string): string | undefined {
  const [, called, source] = CALL.exec(line) ?? [];
  const range = called === undefined ? null : (intrinsicOf(called)?.memoryRange ?? null);
  return range === "memcpy" || range === "memmove" ? source : undefined;
}

function noteBase(line: string, bases: Map<string, string>): void {
  const [, element, of] = ELEMENT.exec(line) ?? [];
  if (element !== undefined) {
    const base = bases.get(of as string);
    if (base !== undefined) bases.set(element, base);
    return;
  }
  const loaded = line.includes("!nonnull") ? undefined : POINTER_LOAD.exec(line)?.[1];
  const [, called, attributes = ""] = POINTER_CALL.exec(line) ?? [];
  const pointer = loaded ?? (/\bnonnull\b/.test(attributes) ? undefined : called);
  if (pointer !== undefined) bases.set(pointer, pointer);
}

const DEFINITIONS = `
define internal void @${CHECK}(ptr %p) alwaysinline {
  %low = icmp ult ptr %p, inttoptr (i32 ${NULL_PAGE_BYTES} to ptr)
  br i1 %low, label %bad, label %good, !prof !{!"branch_weights", i32 1, i32 1048575}
bad:
  call void @${REPORT}() cold noreturn
  unreachable
good:
  ret void
}
declare void @${REPORT}() cold noreturn
`;
