/** A program that prints sizeof, alignof and offsetof of structs made of all kinds of members. */

const SCALARS = [
  "char",
  "bool",
  "short",
  "int",
  "unsigned",
  "long",
  "unsigned long",
  "long long",
  "float",
  "double",
  "long double",
  "size_t",
  "ptrdiff_t",
  "int64_t",
  "uintptr_t",
  "wchar_t",
  "void *",
  "const char *",
  "int (*%)(long)",
  "float **",
  "std::nullptr_t",
  "Kind",
  "SmallKind",
];

export function layoutProgram(count: number): string {
  let seed = 12345;
  const below = (limit: number): number => {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fff_ffff;
    return (seed >>> 8) % limit;
  };
  const member = (index: number, known: number): { text: string; name: string | null } => {
    const name = `m${index}`;
    const kind = below(10);
    if (kind === 0 && known > 0) return { text: `S${below(known)} ${name};`, name };
    if (kind === 1) return { text: `unsigned ${name} : ${1 + below(31)};`, name: null };
    if (kind === 2) return { text: `long ${name} : ${1 + below(60)};`, name: null };
    if (kind === 3) return { text: `union { long l; char c[${1 + below(20)}]; double *p; } ${name};`, name };
    if (kind === 4) return { text: `alignas(${16 * 2 ** below(3)}) float4 ${name};`, name };
    const type = SCALARS[below(SCALARS.length)] as string;
    const size = kind === 5 ? `[${1 + below(5)}]` : "";
    const declared = type.includes("%") ? type.replace("%", name + size) : `${type} ${name}${size}`;
    return { text: `${declared};`, name };
  };
  const structs: string[] = [];
  const prints: string[] = [];
  for (let s = 0; s < count; s++) {
    const members = Array.from({ length: 1 + below(9) }, (_, i) => member(i, s));
    const base = s > 0 && below(6) === 0 ? ` : S${below(s)}` : "";
    const extra = ["virtual void f() {}", "", "", "", ""][below(5)] as string;
    const packed = below(12) === 0 ? "__attribute__((packed)) " : "";
    structs.push(`struct ${packed}S${s}${base} { ${members.map(({ text }) => text).join(" ")} ${extra} };`);
    const offsets = members.flatMap(({ name }) => (name === null ? [] : [`(int)offsetof(S${s}, ${name})`]));
    prints.push(
      `printf("S${s} %d %d${" %d".repeat(offsets.length)}\\n", ` +
        `${[`(int)sizeof(S${s})`, `(int)alignof(S${s})`, ...offsets].join(", ")});`,
    );
  }
  return `#include <cstddef>
#include <cstdint>
#include <cstdio>
struct alignas(16) float4 { float x, y, z, w; };
enum Kind { first, second };
enum class SmallKind : unsigned char { one };
${structs.join("\n")}
int main() {
  ${prints.join("\n  ")}
}
`;
}
