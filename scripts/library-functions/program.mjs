// A program that calls functions of a library with nothing: zeros and null pointers. It prints each one's status.

const HEAD = `#include <cstdio>
static double zeros[64];
template <class T> static T nothing() {
  if constexpr (__is_reference(T)) return *(__remove_reference_t(T) *)zeros;
  else return T();
}
template <class R, class... A> static void call(const char *name, R (*function)(A...)) {
  if constexpr (__is_same(R, void)) function(nothing<A>()...), printf("%s\\n", name);
  else if constexpr (__is_pointer(R)) printf("%s %d\\n", name, function(nothing<A>()...) != nullptr);
  else printf("%s %lld\\n", name, (long long)function(nothing<A>()...));
  fflush(stdout);
}
`;

/**
 * @param {readonly string[]} headers
 * @param {readonly string[]} names
 * @param {ReadonlyMap<string, string>} types of functions of which there are several: what they are cast to
 */
export function programOf(headers, names, types = new Map()) {
  const includes = headers.map((header) => `#include <${header}>\n`).join("");
  const cast = (name) => (types.has(name) ? `(${types.get(name)})` : "");
  const calls = names.map((name) => `  call("${name}", ${cast(name)}${name});\n`).join("");
  return `${includes}${HEAD}int main() {\n${calls}  printf("END\\n");\n}\n`;
}
