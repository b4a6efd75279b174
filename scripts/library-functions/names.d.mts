export interface Library {
  readonly name: string;
  readonly title: string;
  readonly headers: readonly string[];
  readonly apart?: readonly string[];
  readonly flags: string;
}
export const LIBRARIES: readonly Library[];
export function documented(library: string): readonly string[];
