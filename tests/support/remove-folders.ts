/** Runs with every test file: removes its temporary folders when it ends, also when it fails. */

import { afterAll } from "vitest";
import { removeFolders } from "./commands/assay-process.ts";

afterAll(removeFolders);
