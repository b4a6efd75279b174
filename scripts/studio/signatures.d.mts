/** Functions of the runtime API with their C signatures, by name. */
export function runtimeSignatures(root: string): Readonly<Record<string, string>>;
