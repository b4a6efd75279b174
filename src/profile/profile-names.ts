/** The names of what the profiler adds to modules. */
import { ToolNamespace } from "../instrument/tool-namespace.ts";

export const PROFILE_NAMES: ToolNamespace = new ToolNamespace("profile");
