/** A front end, seen from above: it makes device programs from sources. Host programs are the Clang front end's own. */
import type { SourceReader } from "../store/source-reader.ts";
import type { CompileOptions, SourceFile } from "./compiled-program.ts";
import type { TextProgram } from "./device-program.ts";

export interface DeviceCompilation {
  readonly program: TextProgram;
  /** Name expression, as given, to the kernel's name in the IR. */
  readonly names: ReadonlyMap<string, string>;
  readonly warnings: string;
}

export interface DeviceCompiler {
  /**
   * Device code only. `nameExpressions` such as `reduce<float, 256>` are instantiated and resolved to names in the IR
   * (as nvrtcAddNameExpression does).
   * @throws HeddleError "compile-error" with the compiler's report in `notes`
   */
  compileDevice(
    source: SourceFile,
    options: Partial<CompileOptions>,
    reader: SourceReader | null,
    nameExpressions?: readonly string[],
  ): Promise<DeviceCompilation>;
}
