/** What the studio's pages and workers may load: their own site, and what they make themselves. */
export const STUDIO_POLICY: string = [
  "default-src 'self'",
  // The engine makes WebAssembly, and a ladder's declaration is a module made of text.
  "script-src 'self' blob: 'wasm-unsafe-eval'",
  "worker-src 'self' blob:",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' blob: data:",
  "connect-src 'self' blob: data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");
