/** Numbers in sentences. */

/** "1 thread", "2 threads", "no threads". @param several where an s is not enough */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${count === 0 ? "no" : count} ${count === 1 ? one : several}`;
}
