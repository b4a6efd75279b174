/** Serves the studio's files on this machine alone. Nothing is computed here. */
import { createReadStream, statSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { extname, join, sep } from "node:path";
import { STUDIO_POLICY } from "./studio-policy.ts";

export interface StudioFolders {
  /** dist/studio */
  readonly site: string;
  /** gen/ of the package of Clang: clang/ of the site, where the site has none. */
  readonly clang: string;
  /** The package pyodide: pyodide/ of the site, where the site has none. null: it is not installed. */
  readonly pyodide: string | null;
}

/** What a page needs of the package. */
export const PYODIDE_FILES: readonly string[] = [
  "pyodide.mjs",
  "pyodide.asm.mjs",
  "pyodide.asm.wasm",
  "pyodide-lock.json",
  "python_stdlib.zip",
];

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".json": "application/json",
  ".zip": "application/zip",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

const HEADERS: Readonly<Record<string, string>> = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Content-Security-Policy": STUDIO_POLICY,
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
};

/** Resolves when it listens. @param port 0: any free one. */
export function startStudioServer(folders: StudioFolders, port: number): Promise<Server> {
  const server = createServer((request, response) => answer(folders, request, response));
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve(server));
  });
}

function answer(folders: StudioFolders, request: IncomingMessage, response: ServerResponse): void {
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
  // A page of another site may have its name point here (DNS rebinding): only our own names are answered.
  if (!/^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(request.headers.host ?? "")) return end(response, 421);
  if (request.method !== "GET" && request.method !== "HEAD") return end(response, 405);
  const file = fileOf(folders, request.url ?? "/");
  if (file === null) return end(response, 404);
  response.setHeader("Content-Type", TYPES[extname(file.path)] ?? "application/octet-stream");
  response.setHeader("Content-Length", file.bytes);
  response.setHeader("Last-Modified", file.modified);
  // The page asks whether a file has changed; what is big and never changes under its name is kept.
  response.setHeader(
    "Cache-Control",
    /[\\/](?:assets|engine-\w+)[\\/]/.test(file.path) ? "max-age=31536000" : "no-cache",
  );
  if (request.headers["if-modified-since"] === file.modified) return end(response, 304);
  if (request.method === "HEAD") return end(response, 200);
  createReadStream(file.path)
    .on("error", () => response.destroy())
    .pipe(response);
}

function end(response: ServerResponse, status: number): void {
  response.statusCode = status;
  response.end();
}

interface FoundFile {
  readonly path: string;
  readonly bytes: number;
  readonly modified: string;
}

/** null: there is none, or it is outside of the folders. */
function fileOf({ site, clang, pyodide }: StudioFolders, url: string): FoundFile | null {
  let path: string;
  try {
    path = decodeURIComponent(new URL(url, "http://localhost").pathname);
  } catch {
    return null;
  }
  if (path.endsWith("/")) path += "index.html";
  const [, part, name = ""] = /^\/(clang|pyodide)\/([\w.-]+)$/.exec(path) ?? [];
  const folder = { clang, pyodide: PYODIDE_FILES.includes(name) ? pyodide : null }[part ?? ""] ?? null;
  return found(site, path) ?? (folder === null ? null : found(folder, name));
}

function found(folder: string, path: string): FoundFile | null {
  const full = join(folder, path);
  if (!full.startsWith(folder + sep)) return null;
  const about = statSync(full, { throwIfNoEntry: false });
  if (about === undefined || !about.isFile()) return null;
  return { path: full, bytes: about.size, modified: about.mtime.toUTCString() };
}
