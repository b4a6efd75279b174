export interface SanitizerRow {
  file: string;
  kernel: string;
  side: "wrong" | "right";
  tool: string;
  expected: string;
  line: number;
  status: string;
  errors: number | null;
  rightLine: boolean;
  told: string[];
  seconds: number;
}
export interface SanitizerResults {
  sanitizer?: string;
  seconds: number;
  kernels: SanitizerRow[];
}
export interface Suite {
  name: string;
  text: string;
  tool: string;
  pairs: readonly { name: string; line: number; expected: string }[];
}
export function readSuites(folder?: string): Promise<Suite[]>;
export function programOf(suite: { path: string; pairs: Suite["pairs"] }): string;
export function parseOutput(
  text: string,
  file: string,
): {
  errors: number | null;
  lines: number[];
  told: string[];
  launched: { kernel: string; launch: string; end: string }[];
};
export function runSanitizer(options: {
  suites: Suite[];
  jobs?: number;
  limitS?: number;
  timeoutS?: number;
  log?: (line: string) => void;
}): Promise<SanitizerResults>;
