/// <reference lib="esnext.disposable" preserve="true" />
/**
 * What ladder files import.
 *
 *     import { defineLadder, normal } from "heddle/ladder";
 *
 * docs/ladders.md explains them.
 */
export { defineLadder } from "./kernel-library/ladder.ts";
export type {
  BlasRival,
  Configuration,
  InputDeclaration,
  Ladder,
  LadderDefinition,
  LaunchArgument,
  LaunchStep,
  NativeRival,
  OutputDeclaration,
  PythonRival,
  ReferenceValues,
  RivalDeclaration,
  ScratchDeclaration,
  Shape,
  Sweep,
  VersionDeclaration,
} from "./kernel-library/ladder.ts";
export type { OperationUnit, Work } from "./measure/work.ts";
export {
  indices,
  integers,
  normal,
  uniform,
  type Distribution,
  type Generator,
} from "./kernel-library/distributions.ts";
