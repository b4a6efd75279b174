import { expect, it } from "vitest";
import { once } from "./once.ts";

it("is done once, and again after a failure", async () => {
  let calls = 0;
  const get = once(async () => {
    calls++;
    await Promise.resolve();
    if (calls === 1) throw new Error("the network is away");
    return calls;
  });
  await expect(Promise.all([get(), get()])).rejects.toThrow("the network is away");
  expect(await Promise.all([get(), get(), get()])).toEqual([2, 2, 2]);
});
