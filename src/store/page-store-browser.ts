/**
 * What our compilers make, from visit to visit of a page: in IndexedDB. Who asks cannot wait, so all of it is read when
 * the store is opened, and what is put is written when the event loop turns.
 */
import type { SyncStore } from "./store.ts";

const ENTRIES = "kernels";
/** A larger store is emptied when it is opened. A network's kernels have about 4 MB. */
const MOST_BYTES = 64 * 2 ** 20;

interface Entry {
  /** Of the compilers: entries of others are of no use any more. */
  readonly version: string;
  readonly bytes: Uint8Array;
}

/** @returns a store without a memory of earlier visits where the browser allows none: the console says why */
export async function openPageStore(version: string, name = "heddle"): Promise<SyncStore> {
  const known = new Map<string, Uint8Array>();
  let database: IDBDatabase | null = null;
  const give = (reason: unknown): void => {
    database = null;
    console.warn(`heddle: kernels will be compiled again at the next visit: ${String(reason)}`);
  };
  try {
    database = await openDatabase(name);
    await readEntries(database, version, known);
  } catch (error) {
    give(error);
  }
  let waiting: [string, Entry][] = [];
  const write = (): void => {
    const entries = waiting;
    waiting = [];
    if (database === null) return;
    changed(database, (store) => {
      for (const [key, entry] of entries) store.put(entry, key);
    }).catch(give);
  };
  return {
    get: (key) => known.get(key) ?? null,
    put(key, bytes) {
      known.set(key, bytes);
      if (database === null) return;
      if (waiting.length === 0) setTimeout(write);
      // A view would be kept with all of its buffer.
      waiting.push([key, { version, bytes: bytes.slice() }]);
    },
  };
}

function openDatabase(name: string): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1);
  request.onupgradeneeded = () => void request.result.createObjectStore(ENTRIES);
  return settled(request);
}

/** Reads the entries of this version, and removes the others. */
async function readEntries(database: IDBDatabase, version: string, known: Map<string, Uint8Array>): Promise<void> {
  const store = database.transaction(ENTRIES).objectStore(ENTRIES);
  const [keys, entries] = await Promise.all([
    settled(store.getAllKeys()) as Promise<string[]>,
    settled(store.getAll()) as Promise<Entry[]>,
  ]);
  const total = entries.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const old: string[] = [];
  for (const [i, key] of keys.entries()) {
    const entry = entries[i] as Entry;
    if (entry.version === version && total <= MOST_BYTES) known.set(key, entry.bytes);
    else old.push(key);
  }
  if (old.length > 0)
    await changed(database, (entriesOf) => {
      for (const key of old) entriesOf.delete(key);
    });
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("IndexedDB failed"));
  });
}

/** Resolves when the change is kept. */
function changed(database: IDBDatabase, change: (store: IDBObjectStore) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(ENTRIES, "readwrite");
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new Error("IndexedDB failed"));
    change(transaction.objectStore(ENTRIES));
  });
}
