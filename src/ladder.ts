/**
 * What ladder files import.
 *
 *     import { defineLadder, normal } from "heddle/ladder";
 *
 * docs/ladders.md explains them.
 */
export { defineLadder } from "./bench/ladder.ts";
export type {
  BlasRival,
  Configuration,
  InputDeclaration,
  Ladder,
  LadderDefinition,
  LaunchArgument,
  LaunchStep,
  NativeRival,
  OperationUnit,
  OutputDeclaration,
  PythonRival,
  ReferenceValues,
  RivalDeclaration,
  ScratchDeclaration,
  Shape,
  Sweep,
  VersionDeclaration,
  Work,
} from "./bench/ladder.ts";
export { indices, integers, normal, uniform, type Distribution, type Generator } from "./bench/distributions.ts";
