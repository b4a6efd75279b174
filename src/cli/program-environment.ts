/** The environment that a program gets. */

/** Names of variables that hold secrets. */
const SECRET =
  /(^|_)(AUTH|PAT|PWD)(_|$)|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY/i;
/** `PWD` itself is the working directory. */
const HARMLESS: ReadonlySet<string> = new Set(["PWD", "OLDPWD"]);
/** An address with a password in it. */
const PASSWORD_IN_URL = /^[a-z][a-z0-9+.-]*:\/\/[^\s/@]*:[^\s/@]+@/i;

/**
 * All variables but those that look like secrets: a program has no network that it could need them for, and what it
 * prints may become public. Isolated programs get none.
 *
 * @param asked `NAME` or `NAME=value`, from --env: the program gets these in any case.
 */
export function programEnvironment(
  process: Readonly<Record<string, string | undefined>>,
  { isolated, asked }: { readonly isolated: boolean; readonly asked: readonly string[] },
): Record<string, string> {
  const given: Record<string, string> = {};
  if (!isolated)
    for (const [name, value] of Object.entries(process))
      if (value !== undefined && !isSecret(name, value)) given[name] = value;
  for (const entry of asked) {
    const equals = entry.indexOf("=");
    const name = equals < 0 ? entry : entry.slice(0, equals);
    const value = equals < 0 ? process[name] : entry.slice(equals + 1);
    if (value !== undefined) given[name] = value;
  }
  return given;
}

function isSecret(name: string, value: string): boolean {
  return (SECRET.test(name) && !HARMLESS.has(name)) || PASSWORD_IN_URL.test(value);
}
