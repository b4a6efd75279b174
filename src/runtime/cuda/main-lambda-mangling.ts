/**
 * The device's names of kernels whose template arguments are lambdas of main().
 *
 * Itanium C++ ABI, section 5.1.6: a local entity's name holds the encoding of the function around it. main() has no
 * parameters there, but Clang mangles main(int, char **) as an ordinary function when it compiles for WebAssembly (its
 * entry point is __main_argc_argv). So the host registers `…Z4mainiPPcE…` for what the device calls `…Z4mainE…`. The
 * two parameter types are also two substitutions more (`char *` and `char **`), by which later `S…_` are counted; which
 * they are is not known without a whole parse. So the name is found among those of the device's kernels: by counting
 * again, else as the only one that is the same but for its substitutions.
 */
const MAIN_WITH_ARGUMENTS = /Z4main(?:iPPc|iS[0-9A-Z]*_)E/g;
const SUBSTITUTION = /S([0-9A-Z]*)_/g;

const sequenceNumber = (digits: string): number => (digits === "" ? 0 : Number.parseInt(digits, 36) + 1);
const sequenceDigits = (number: number): string => (number === 0 ? "" : (number - 1).toString(36).toUpperCase());
const withoutSubstitutions = (name: string): string =>
  name.replace(SUBSTITUTION, "S_").replaceAll("PPc", "S_").replaceAll("Pc", "S_");

/**
 * The kernel that the host registered as `name`, if it is over a lambda of main(int, char **) and `kernels` has it;
 * else null.
 */
export function kernelOverMainLambda(name: string, kernels: readonly string[]): string | null {
  if (!name.includes("Z4mainiPPcE")) return null;
  const plain = name.replace(MAIN_WITH_ARGUMENTS, "Z4mainE");
  const highest = Math.max(-1, ...[...plain.matchAll(SUBSTITUTION)].map((match) => sequenceNumber(match[1] ?? "")));
  for (let before = 0; before <= Math.max(0, highest - 1); before++) {
    const counted = plain.replace(SUBSTITUTION, (text, digits: string) => {
      const number = sequenceNumber(digits);
      return number >= before + 2 ? `S${sequenceDigits(number - 2)}_` : text;
    });
    if (kernels.includes(counted)) return counted;
  }
  const wanted = withoutSubstitutions(plain);
  const same = kernels.filter((kernel) => withoutSubstitutions(kernel) === wanted);
  return same.length === 1 ? (same[0] as string) : null;
}
