/**
 * Keeps the files of the site by their contents: a visit works without a network, and a new version of the site fetches
 * only what has changed. Adds the headers that isolate a page, and those that forbid requests to anywhere else, where
 * the server sends none. Files that the server has compressed only are unpacked here.
 */

/** Hash of each file of the site by its path, put in by the build. */
declare const STUDIO_FILES: Readonly<Record<string, string>>;

/** What a service worker knows of itself; TypeScript's libraries have either this or a page's. */
interface ServiceWorkerScope {
  readonly registration: { readonly scope: string };
  readonly clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(type: "install" | "activate", listener: (event: ExtendableEvent) => void): void;
  addEventListener(type: "fetch", listener: (event: FetchEvent) => void): void;
}
interface ExtendableEvent {
  waitUntil(work: Promise<unknown>): void;
}
interface FetchEvent extends ExtendableEvent {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}

const worker = globalThis as unknown as ServiceWorkerScope;
const CACHE = "heddle-studio-files";
const TYPES: Readonly<Record<string, string>> = {
  css: "text/css",
  html: "text/html",
  js: "text/javascript",
  json: "application/json",
  mjs: "text/javascript",
  svg: "image/svg+xml",
  wasm: "application/wasm",
  zip: "application/zip",
};

const base = worker.registration.scope;
/** Fetched at once: the page itself, and the engine but for what the compiler has made, and for what Python needs. */
const isShell = (path: string): boolean =>
  !/^(?:clang|gallery|pyodide)\/|\/prebuilt\/.|\/(?:script-|python-)/.test(path) || path === "gallery/index.json";

worker.addEventListener("install", (event) => {
  event.waitUntil(Promise.all(Object.keys(STUDIO_FILES).filter(isShell).map(fileOf)).then(() => worker.skipWaiting()));
});

worker.addEventListener("activate", (event) => {
  event.waitUntil(Promise.all([worker.clients.claim(), dropOldFiles()]));
});

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(base)) return;
  const path = pathOf(request.url);
  if (path in STUDIO_FILES || `${path}.gz` in STUDIO_FILES) event.respondWith(fileOf(path));
});

function pathOf(url: string): string {
  const path = decodeURIComponent(new URL(url).pathname.slice(new URL(base).pathname.length));
  return path === "" ? "index.html" : path;
}

/** A file of the site: the cached one if its contents are the same, else the server's. */
async function fileOf(path: string): Promise<Response> {
  const isPacked = !(path in STUDIO_FILES);
  const hash = STUDIO_FILES[isPacked ? `${path}.gz` : path] ?? "";
  const cache = await caches.open(CACHE);
  const key = keyOf(path, hash);
  const found = await cache.match(key);
  if (found !== undefined) return found;
  const response = await fetch(new URL(isPacked ? `${path}.gz` : path, base), { cache: "no-cache" });
  if (!response.ok || response.body === null) return response;
  const body = isPacked && !isUnpacked(response) ? unpacked(response.body) : response.body;
  const made = new Response(body, { headers: headersOf(path) });
  const copy = made.clone();
  void cache.put(key, copy).catch(() => undefined);
  return made;
}

/** Servers that know the ending send it as an encoding, which the browser has undone. */
function isUnpacked(response: Response): boolean {
  return response.headers.get("Content-Encoding") === "gzip";
}

function unpacked(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  return body.pipeThrough(new DecompressionStream("gzip") as ReadableWritablePair<Uint8Array, Uint8Array>);
}

function keyOf(path: string, hash: string): string {
  return new URL(`${path}?content=${hash}`, base).href;
}

function headersOf(path: string): Record<string, string> {
  return {
    "Content-Type": TYPES[path.replace(/^.*\./, "")] ?? "application/octet-stream",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": STUDIO_POLICY,
  };
}

/** See studio-server.ts, which sends the same. */
declare const STUDIO_POLICY: string;

async function dropOldFiles(): Promise<void> {
  const cache = await caches.open(CACHE);
  const current = new Set(
    Object.entries(STUDIO_FILES).flatMap(([path, hash]) => [keyOf(path, hash), keyOf(path.replace(/\.gz$/, ""), hash)]),
  );
  for (const request of await cache.keys()) if (!current.has(request.url)) await cache.delete(request);
}
