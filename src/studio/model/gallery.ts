/** What the gallery offers: gallery/index.json, made by scripts/studio/gallery.mjs. */
import { ladderWorkspace, programWorkspace, type SourceText, type Workspace } from "./workspace.ts";

export interface GalleryProgram {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly files: readonly SourceText[];
}

export interface GalleryLadder {
  readonly id: string;
  readonly about: string;
  /** How many. */
  readonly versions: number;
}

export interface Gallery {
  readonly programs: readonly GalleryProgram[];
  /** Of Python, with Triton kernels. */
  readonly scripts: readonly GalleryProgram[];
  readonly ladders: readonly GalleryLadder[];
}

/** Whether the program is as the gallery has it: the site has its compiled code, so that it needs no compiler. */
export function isUnchanged({ programs }: Gallery, { ladder, files }: Workspace): boolean {
  if (ladder !== null) return false;
  return programs.some((program) => JSON.stringify(program.files) === JSON.stringify(files));
}

/** gallery/ID.json */
export interface GalleryLadderTexts {
  readonly id: string;
  readonly declaration: string;
  readonly files: readonly SourceText[];
  readonly headers: readonly SourceText[];
}

export function openProgram({ title, files }: GalleryProgram): Workspace {
  return programWorkspace(title, files);
}

export function openLadder({ id, declaration, files, headers }: GalleryLadderTexts): Workspace {
  return ladderWorkspace(`Ladder: ${id}`, files, { id, declaration, headers });
}
