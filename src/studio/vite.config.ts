/** How the studio's page is built; scripts/studio/build.mjs calls it and adds the rest of the site. */
import { defineConfig, type UserConfig } from "vite";

const config: UserConfig = defineConfig({
  base: "./",
  // The engine is a folder of its own, loaded when it is needed.
  build: { target: "es2023", assetsInlineLimit: 0, chunkSizeWarningLimit: 1000, modulePreload: { polyfill: false } },
});

export default config;
