/**
 * NVIDIA's open libraries of headers, in place of ours: CUB, Thrust and libcudacxx, from an include folder of a CUDA
 * toolkit. Such a folder also holds the toolkit's own headers of the runtime, for which ours must stand: the compiler
 * sees a folder of links to the libraries alone. Messages name the files by where they are.
 *
 * `cooperative_groups/` is not among them: its headers build on the toolkit's cooperative_groups.h, a runtime header.
 */
import type { SourceReader } from "../../store/source-reader.ts";

/** Folders of a toolkit's include folder that are taken. */
const LIBRARIES: readonly string[] = ["cub", "thrust", "cuda", "nv"];

/** The folder of links, by the folder that it stands for. */
const linksTo = (folder: string): string => `/heddle/libraries-of/${encodeURIComponent(folder)}`;
const LINKS = /^\/heddle\/libraries-of\/([^/]+)$/;
const OVERLAY = "/heddle/out/libraries-of-toolkits.yaml";

/** Whether this folder holds headers of CUDA's runtime. */
function isToolkit(folder: string, reader: SourceReader | null): boolean {
  return (reader?.readFile(`${folder}/cuda_runtime.h`) ?? null) !== null;
}

/** The libraries in a toolkit's include folder; from CUDA 13 on they are in its folder cccl. */
function librariesOfToolkit(folder: string, reader: SourceReader | null): string[] {
  return [linksTo(folder), ...(reader?.isDirectory(`${folder}/cccl`) ? [`${folder}/cccl`] : [])];
}

/**
 * Folders to search for headers, in order: the user's, then those of HEDDLE_CUDA_INCLUDE. The system's own are left
 * out, since it is another system's.
 */
export function includeFolders(
  folders: readonly string[],
  toolkits: readonly string[],
  reader: SourceReader | null,
): string[] {
  const ofUser = folders
    .filter((folder) => !/^\/usr(\/local)?\/include\/?$/.test(folder))
    .flatMap((folder) => (isToolkit(folder, reader) ? librariesOfToolkit(folder, reader) : [folder]));
  if (reader === null) return ofUser;
  return [...ofUser, ...toolkits.flatMap((folder) => checkout(folder, reader) ?? librariesOfToolkit(folder, reader))];
}

/** The three include folders of a checkout of the libraries' repository; null if it is none. */
function checkout(folder: string, reader: SourceReader): string[] | null {
  if (!reader.isDirectory(`${folder}/libcudacxx/include`)) return null;
  return ["cub", "thrust", "libcudacxx/include"].map((library) => `${folder}/${library}`);
}

/** How the compiler sees folders of links, if any are among its arguments: further arguments and a file. */
export function toolkitOverlay(args: readonly string[]): { args: readonly string[]; files: Map<string, Uint8Array> } {
  const links = args.flatMap((argument) => LINKS.exec(argument)?.[1] ?? []);
  if (links.length === 0) return { args: [], files: new Map() };
  const overlay = {
    version: 0,
    "case-sensitive": true,
    roots: links.map((link) => ({
      name: `/heddle/libraries-of/${link}`,
      type: "directory",
      contents: LIBRARIES.map((name) => ({
        name,
        type: "directory-remap",
        "external-contents": `${decodeURIComponent(link)}/${name}`,
      })),
    })),
  };
  return {
    args: ["-ivfsoverlay", OVERLAY],
    files: new Map([[OVERLAY, new TextEncoder().encode(JSON.stringify(overlay))]]),
  };
}
