/** The names of what the checkers add to modules. libdevice/race.cu and race-order.cu have the same. */
import { ToolNamespace } from "../instrument/tool-namespace.ts";

export const CHECK_NAMES: ToolNamespace = new ToolNamespace("check");
