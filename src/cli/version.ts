/** This package's version, from its package.json. */
import { readFileSync } from "node:fs";
import { packageRoot } from "../frontend/clang/clang-loader-node.ts";

export function version(): string {
  return (JSON.parse(readFileSync(`${packageRoot()}/package.json`, "utf8")) as { version: string }).version;
}
