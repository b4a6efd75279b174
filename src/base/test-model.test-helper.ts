/** The data model of the programs that a run of the tests compiles: scripts/test-model.ts chooses it. */
import { DATA_MODELS, type DataModel } from "./data-model.ts";

export const TEST_MODEL: DataModel = process.env["HEDDLE_MODEL"] === "lp64" ? DATA_MODELS.lp64 : DATA_MODELS.ilp32;
