/**
 * What Heddle knows of one library that CUDA programs use. Link names, headers, what is linked when a program calls it,
 * the search for the vendor's own files, the rows of docs/support.md and the notes of an error all follow from here.
 */

/** Whether programs can use the library: "here", "accepted" (calls have no effect), or "absent". */
export type LibraryState = "here" | "accepted" | "absent";

export interface LibraryManifest {
  /** The name by which the rest of Heddle asks for the library: the vendor's file name without prefix and suffix. */
  readonly name: string;
  /** The name for people. */
  readonly title: string;
  readonly state: LibraryState;
  /** NAME in -lNAME. */
  readonly linkNames: readonly string[];
  /** Programs link although the library is absent; a call then fails by name. */
  readonly isLinkAccepted: boolean;
  /** Headers that a program includes, below include/. `thrust/…`, `nppi_…`: all headers that begin so. */
  readonly headers: readonly string[];
  /** Headers that those include, and older names of them. */
  readonly innerHeaders: readonly string[];
  /** How the names of its functions begin; null where the library has no functions to link. */
  readonly symbolPrefix: string | null;
  /** Which undefined names belong to the library. Default: the prefix, then a capital letter or an underscore. */
  readonly symbols: RegExp | null;
  /** C++ namespaces of the library, outermost first, joined by `::`. */
  readonly namespaces: readonly string[];
  /** Code of Heddle's own that does the library's work; null where headers are everything. */
  readonly sources: LibrarySources | null;
  /** Statuses that say that a call is wrong, by their names: `heddle check` reports them. Empty: no function does. */
  readonly wrongCalls: Readonly<Record<number, string>>;
  /** Functions whose result is a number and no status. */
  readonly noStatus: readonly string[];
  /** The vendor's own library, where a machine has it. */
  readonly vendor: VendorLibrary | null;
  /** What Heddle has of the library, if not all of it; a sentence without its full stop. */
  readonly has: string;
  /** What Heddle leaves out. */
  readonly lacks: string;
  /** What a program can do instead, where the library is absent; a clause without its full stop. */
  readonly instead: string;
}

export interface LibrarySources {
  /** The folder in the package. */
  readonly folder: string;
  /** Translation units in the folder, compiled like a user's: CUDA, C++ or C by their file names. */
  readonly units: readonly string[];
  /** Units that only programs get whose objects name one of these functions. `cudnnGet…`: all that begin so. */
  readonly parts?: Readonly<Record<string, readonly string[]>>;
  /**
   * "when-called": only into programs whose objects name the symbol prefix. "always": a part of the host library.
   * "by-name": whoever links says so.
   */
  readonly linked: "when-called" | "always" | "by-name";
}

/** Platforms of Node.js on which the vendor's libraries exist. */
export type VendorPlatform = "linux" | "win32";

export interface VendorLibrary {
  /** File names, the preferred ones first. */
  readonly files: Readonly<Record<VendorPlatform, readonly string[]>>;
  /** The major version of CUDA that a file's number stands for, where that is another number. */
  readonly cudaOfFile?: Readonly<Record<number, number>>;
  /** Where the files come from: this decides which folders are searched. */
  readonly comesWith: "driver" | "toolkit";
  /** How its functions name their state. Empty where no call is handed over to the vendor's library. */
  readonly handles: readonly LibraryHandle[];
}

export type LibraryHandle =
  /** Made without arguments, one for each handle of the program (cublasCreate). Calls name it by the kind `h`. */
  | { readonly kind: "plain"; readonly create: string; readonly destroy: string }
  /** Made from a description and good for that one only (cufftPlanMany). Heddle's code holds it as 64 bits. */
  | { readonly kind: "plan"; readonly create: readonly string[]; readonly destroy: string }
  /** One for each of several devices that work together (ncclCommInitAll). */
  | { readonly kind: "device-group"; readonly create: string; readonly destroy: string };

type Required = Pick<LibraryManifest, "name" | "title">;

/** A manifest with what most libraries do not have left empty. */
export function manifest(given: Required & Partial<LibraryManifest>): LibraryManifest {
  return {
    state: "here",
    linkNames: [],
    isLinkAccepted: given.state !== "absent",
    headers: [],
    innerHeaders: [],
    symbolPrefix: null,
    symbols: null,
    namespaces: [],
    sources: null,
    wrongCalls: {},
    noStatus: [],
    vendor: null,
    has: "",
    lacks: "",
    instead: "",
    ...given,
  };
}

/** The vendor's files of one platform of Node.js. */
export function vendorFiles({ vendor }: LibraryManifest, platform: string): readonly string[] | null {
  if (vendor === null || !Object.hasOwn(vendor.files, platform)) return null;
  return vendor.files[platform as VendorPlatform];
}
