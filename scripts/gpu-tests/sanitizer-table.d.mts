import type { SanitizerResults } from "./sanitizer.d.mts";
export function tableOf(theirs: SanitizerResults | null, ours: SanitizerResults | null): string;
export function differences(theirs: SanitizerResults, ours: SanitizerResults): string;
export function withTable(text: string, theirs: SanitizerResults, ours: SanitizerResults): string;
