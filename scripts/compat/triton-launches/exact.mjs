export function exactMemory() { throw new Error("not built"); }
