import { expect, test } from "vitest";
import type { ToolResult } from "./clang.ts";
import { isForOneThread, withThreadLocals } from "./thread-locals.ts";

/** An object that consists of the IR and of names. */
function object(ir: string): ToolResult {
  const text = `${ir};__wasm_lpad_context;_Unwind_CallPersonality;main`;
  return { exitCode: 0, output: () => new TextEncoder().encode(text) } as unknown as ToolResult;
}
function made(ir: string): string {
  return new TextDecoder().decode(withThreadLocals(ir, object).output("out") as Uint8Array);
}

const ATTRIBUTES = 'attributes #0 = { "target-features"="+sign-ext" }';

test("only units with variables of threads have instructions, and landing pads, of their own", () => {
  const plain = `@text = constant [13 x i8] c"thread_local\\00"\n${ATTRIBUTES}`;
  expect(made(plain)).toBe(`${plain};__wasm_lpad_context;_Unwind_CallPersonality;main`);
  for (const variable of ['@"a b" = internal thread_local global i32 7', "@e = external thread_local global i32"])
    expect(made(`${variable}\n${ATTRIBUTES}`)).toBe(
      `${variable}\n${ATTRIBUTES.replace("+sign", "+atomics,+sign")};__heddle_lpad_local;__heddle_personality_of;main`,
    );
});

test("objects say whether their memory cannot be shared", () => {
  expect(isForOneThread(new TextEncoder().encode("target_features\x01-\x0ashared-mem"))).toBe(true);
  expect(isForOneThread(new TextEncoder().encode("target_features\x01+\x0ashared-mem"))).toBe(false);
});
