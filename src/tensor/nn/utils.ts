/** What torch.nn.utils has. */
export { clipGradNorm_, clipGradValue_, type ClipOptions } from "./clip.ts";
