/** Work is saved in this browser as it is typed. */
import { workspaceOf } from "./model/share-link.ts";
import type { Workspace } from "./model/workspace.ts";

const KEY = "heddle-studio-work";

export function savedWork(): Workspace | null {
  try {
    return workspaceOf(JSON.parse(localStorage.getItem(KEY) ?? "null"));
  } catch {
    return null;
  }
}

export function saveWork(workspace: Workspace): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(workspace));
  } catch {
    // No room, or storage is not allowed: the page works without.
  }
}
