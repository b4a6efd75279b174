// A contestant's side of the commands that contestant.mjs lists.
import { createInterface } from "node:readline";

/** Says that it is ready, then obeys until its input ends. */
export async function obeyCommands(description, { run, check, case: choose }) {
  console.log(`ready ${description}`);
  for await (const line of createInterface({ input: process.stdin })) {
    const [command, argument] = [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)];
    if (command === "check") {
      await check(argument);
      console.log("checked");
    } else if (command === "case") {
      choose(Number(argument));
      console.log("chosen");
    } else if (command === "run") {
      console.log(`times ${(await run(Number(argument))).map((ms) => ms.toFixed(6)).join(" ")}`);
    } else throw new Error(`unknown command ${line}`);
  }
}
