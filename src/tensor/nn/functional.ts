/** torch.nn.functional. */
import * as functions from "../api/functional.ts";
import { namedFunctions } from "../api/named-operations.ts";

/** What PyTorch's `torch.nn.functional` has, under PyTorch's names in camelCase. */
export const functional: typeof functions = namedFunctions(functions);
