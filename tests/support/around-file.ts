/**
 * Runs with every test file: the user's last calibration is no part of it; when it ends, also when it fails, its mocks are
 * stopped and its temporary folders removed.
 */

import { afterAll } from "vitest";
import { newFolder, removeFolders } from "./commands/assay-process.ts";
import { stopMocks } from "./targets/spawned-mock.ts";

process.env["XDG_STATE_HOME"] = newFolder();

afterAll(async () => {
  await stopMocks();
  removeFolders();
});
