/** The service worker: it keeps the page's files, and isolates the page where the server does not. */

const RELOADED = "heddle-studio-reloaded";

export async function prepareOffline(): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  await navigator.serviceWorker.register("service-worker.js");
  await navigator.serviceWorker.ready;
  if (globalThis.crossOriginIsolated || sessionStorage.getItem(RELOADED) !== null) return;
  // Once: the service worker's headers count from the next load on. Work is saved.
  sessionStorage.setItem(RELOADED, "yes");
  location.reload();
}
