/** The host code behind `fft(device)` and `dnn(device)` of TypeScript (src/gpu-libraries). */
import { manifest, type LibraryManifest } from "./manifest.ts";

export const TYPESCRIPT: LibraryManifest = manifest({
  name: "typescript",
  title: "calls of libraries from TypeScript",
  // Linked by src/gpu-libraries itself.
  sources: { folder: "libraries/typescript", units: ["fft.cpp", "dnn.cpp"], linked: "by-name" },
  has: "what `fft` and `dnn` of heddle call",
});
