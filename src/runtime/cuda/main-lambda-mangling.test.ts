import { expect, test } from "vitest";
import { kernelOverMainLambda } from "./main-lambda-mangling.ts";

test.each([
  ["_Z5applyIZ4mainiPPcEUlfE_EvPfT_", "_Z5applyIZ4mainEUlfE_EvPfT_"],
  // what the parameters of main() add to the substitutions is taken away from those that come later
  ["_Z4bothI3BoxZ4mainiPPcEUlS0_E_EvPS3_T0_", "_Z4bothI3BoxZ4mainEUlS0_E_EvPS1_T0_"],
  ["_Z3twoIZ4mainiPPcEUlvE_Z4mainiS1_EUlvE0_EvT_T0_", "_Z3twoIZ4mainEUlvE_Z4mainEUlvE0_EvT_T0_"],
  // another argument refers to a parameter's type
  ["_Z4manyIZ4mainiPPcEUlfE_5ArrayIS0_Li6EEEvT_T0_", "_Z4manyIZ4mainEUlfE_5ArrayIPcLi6EEEvT_T0_"],
])("%s", (host, device) =>
  expect(kernelOverMainLambda(host, ["_Z5applyIZ4mainEUlfE0_EvPfT_", "_Z5otherv", device])).toBe(device),
);

test("no other kernel is taken", () => {
  expect(kernelOverMainLambda("_Z6reduceIfLi256EEvPT_", ["_Z6reduceIfLi128EEvPT_"])).toBeNull();
  expect(kernelOverMainLambda("_Z5applyIZ4mainiPPcEUlfE_EvPfT_", ["_Z5applyIZ4mainEUlfE0_EvPfT_"])).toBeNull();
});
