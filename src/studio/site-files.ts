/** What the page fetches of its own site. */
import type { Gallery, GalleryLadderTexts } from "./model/gallery.ts";

let gallery: Promise<Gallery> | null = null;

export function loadGallery(): Promise<Gallery> {
  return (gallery ??= fetchJson<Gallery>("gallery/index.json"));
}

export function loadLadder(id: string): Promise<GalleryLadderTexts> {
  return fetchJson<GalleryLadderTexts>(`gallery/${id}.json`);
}

async function fetchJson<T>(path: string): Promise<T> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${response.statusText}`);
  return (await response.json()) as T;
}
