import { describe, expect, it } from "vitest";
import { parameterTypes } from "./kernel-signature.ts";

describe("parameter types from mangled names", () => {
  it.each([
    ["_Z3addPfPKfi", ["float*", "float*", "int"]],
    ["_Z4noopv", []],
    ["_Z6reduceIfLi256EEvPT_S1_i", ["float*", "float*", "int"]],
    ["_Z6reduceIdLi256EEvPT_PKS0_j", ["double*", "double*", "unsigned int"]],
    ["_ZN4math5scaleEPdd", ["double*", "double"]],
    ["_Z4uses6ParamsPS_PPKc", ["Params", "Params*", "char**"]],
    ["_Z6appendP6__halfPK13__nv_bfloat16", ["__half*", "__nv_bfloat16*"]],
    ["_Z8longlongPxPyxy", ["long long*", "unsigned long long*", "long long", "unsigned long long"]],
  ] as const)("%s", (name, types) => {
    expect(parameterTypes(name)).toEqual(types);
  });

  it("says nothing where it does not know", () => {
    for (const name of ["main", "_Z3fooDpT_", "_Z1fPFviE", "_Z"]) expect(parameterTypes(name)).toBeNull();
  });
});
