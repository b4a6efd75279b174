export const CHECKED: readonly string[];
export function checkPage(name: string): string;
