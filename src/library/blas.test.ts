import * as vitest from "vitest";
import { openBlas, openDevice } from "../index.ts";
import { blasContract } from "./blas.contract.ts";

blasContract({ name: "emulated device", open: () => openDevice({ workers: 2 }), openBlas }, vitest);
