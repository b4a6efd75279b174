/** Messages between a page and its server: what they bring across, and what is no message. */
import { expect, it } from "vitest";
import { decodePageMessage, decodeWithBytes, encodeWithBytes } from "./server-messages.ts";

it("brings bytes across, those of Node.js's buffers too", () => {
  const message = { a: Uint8Array.of(1, 2, 255), b: [Buffer.from("hé"), "text"], c: { n: 1, none: null } };
  expect(decodeWithBytes(encodeWithBytes(message))).toEqual({
    a: Uint8Array.of(1, 2, 255),
    b: [Uint8Array.from(Buffer.from("hé")), "text"],
    c: { n: 1, none: null },
  });
});

it("takes from a page what has the form of a message, and nothing else of it", () => {
  const program = { path: "a.cu", text: "", files: {}, args: [], stdin: "", gpu: "a100" };
  const start = { kind: "start", id: 1, program };
  expect(decodePageMessage(JSON.stringify({ ...start, settings: { isolation: null } }))).toEqual(start);
  expect(decodePageMessage(JSON.stringify({ ...start, program: { ...program, files: { a: 1 } } }))).toBe(null);
  expect(decodePageMessage(JSON.stringify({ kind: "stop", id: 0.5 }))).toBe(null);
  expect(decodePageMessage("{")).toBe(null);
});
