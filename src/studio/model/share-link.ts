/** A program in the address of a page: nothing is stored elsewhere. */
import { deflateSync, inflateSync, strFromU8, strToU8 } from "fflate";
import { DEFAULT_GPU, type SourceText, type Workspace } from "./workspace.ts";

const PREFIX = "#program=";

/** More does not come from us. */
const MOST_BYTES = 4_000_000;

/** @returns what stands behind the page's address: "#program=…" */
export function shareFragment(workspace: Workspace): string {
  return PREFIX + toBase64(deflateSync(strToU8(JSON.stringify({ v: 1, ...workspace })), { level: 9 }));
}

/** null: the fragment is not of a program, or it is damaged. */
export function sharedWorkspace(fragment: string): Workspace | null {
  if (!fragment.startsWith(PREFIX)) return null;
  try {
    const bytes = inflateSync(fromBase64(fragment.slice(PREFIX.length)), { out: new Uint8Array(MOST_BYTES) });
    return workspaceOf(JSON.parse(strFromU8(bytes)));
  } catch {
    return null;
  }
}

/** A workspace from data that may be anything; null: it is none. */
export function workspaceOf(data: unknown): Workspace | null {
  if (typeof data !== "object" || data === null) return null;
  const { title, files, active, args, stdin, gpu, ladder } = data as Partial<Record<keyof Workspace, unknown>>;
  if (!isFiles(files) || files.length === 0) return null;
  const shown = files.some(({ path }) => path === active) ? (active as string) : (files[0] as SourceText).path;
  return {
    title: textOr(title, "Shared program"),
    files: files.map(({ path, text }) => ({ path, text })),
    active: shown,
    args: textOr(args, ""),
    stdin: textOr(stdin, ""),
    gpu: textOr(gpu, DEFAULT_GPU),
    ladder: isLadder(ladder) ? ladder : null,
  };
}

function textOr(value: unknown, other: string): string {
  return typeof value === "string" ? value : other;
}

function isFiles(value: unknown): value is SourceText[] {
  return (
    Array.isArray(value) && value.every((file) => typeof file?.path === "string" && typeof file?.text === "string")
  );
}

function isLadder(value: unknown): value is NonNullable<Workspace["ladder"]> {
  if (typeof value !== "object" || value === null) return false;
  const { id, declaration, headers } = value as Record<string, unknown>;
  return typeof id === "string" && typeof declaration === "string" && isFiles(headers);
}

function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function fromBase64(text: string): Uint8Array {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
