/** Runs with every test file: stops its mocks and removes its temporary folders when it ends, also when it fails. */

import { afterAll } from "vitest";
import { removeFolders } from "./commands/assay-process.ts";
import { stopMocks } from "./targets/spawned-mock.ts";

afterAll(async () => {
  await stopMocks();
  removeFolders();
});
