/** Starts the page. */
import { render } from "preact";
import { openProgram } from "./model/gallery.ts";
import { sharedWorkspace } from "./model/share-link.ts";
import { prepareDevice } from "./engine.ts";
import { prepareOffline } from "./offline.ts";
import { savedWork } from "./saved-work.ts";
import { takeToken } from "./server-session.ts";
import { Studio } from "./studio.ts";
import { App } from "./view/app.tsx";
import { loadGallery } from "./site-files.ts";
import { applyTheme } from "./view/header.tsx";

const READING_MS = 1500;

applyTheme();
const token = takeToken();
const shared = sharedWorkspace(location.hash);
if (shared !== null) history.replaceState(null, "", location.pathname);
const opened = shared ?? savedWork();
const studio = new Studio(opened ?? (await firstProgram()));
if (token !== null) studio.connect(token);
const root = document.getElementById("studio");
if (root !== null) {
  root.textContent = "";
  render(<App studio={studio} />, root);
}
addEventListener("hashchange", () => {
  const other = sharedWorkspace(location.hash);
  if (other === null) return;
  history.replaceState(null, "", location.pathname);
  studio.open(other);
});
void prepareOffline();
// The engine and a device, for whoever reads before the first run. Who runs at once is not made to wait for them.
setTimeout(() => void prepareDevice(studio.state.workspace.gpu), READING_MS);

async function firstProgram(): Promise<ReturnType<typeof openProgram> | null> {
  const [first] = (await loadGallery()).programs;
  return first === undefined ? null : openProgram(first);
}
