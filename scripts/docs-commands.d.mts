export interface PageCommand {
  readonly page: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly printed: string;
}
export const PAGES: readonly string[];
export function pageText(page: string): string;
export function commandsOf(page: string): PageCommand[];
export function outputOf(command: { readonly args: readonly string[]; readonly color?: boolean }): Promise<string>;
export function withoutTimes(text: string): string;
export function isSameOutput(onPage: string, run: string): boolean;
