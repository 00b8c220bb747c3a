/** The environment of child processes: the user's own, without what would override the settings they are given. */

import { SETTINGS } from "../settings/all-settings.ts";
import { settingVariable } from "../settings/setting.ts";
import { PARENT_PIPE } from "./interrupt.ts";
import { holdsOutputSecrets } from "./output-secrets.ts";

/** For a k6 that passes exchanges on: the number of the open file that takes them. */
export const CHECK_PIPE = "ASSAY_CHECK_PIPE";

/** For a k6 whose only output is Assay's, which takes records: requests make no samples. */
export const NO_SAMPLES = "ASSAY_NO_SAMPLES";

/** What is handed over resolved, beside the settings. */
const RESOLVED = ["ASSAY_API_KEY", "ASSAY_API_KEYS", "ASSAY_OUT"];

/** `ASSAY_*` variables that are not settings: keys, the k6 to use, and what the test projects and child processes take. */
export const OTHER_VARIABLES = [
  ...RESOLVED,
  "ASSAY_K6",
  "ASSAY_PROVE",
  "ASSAY_TEST_CHROMIUM",
  "ASSAY_TEST_PYTHON",
  PARENT_PIPE,
  CHECK_PIPE,
  NO_SAMPLES,
];

const HANDED_OVER = new Set([...Object.keys(SETTINGS).map(settingVariable), ...RESOLVED]);

/**
 * The environment without Assay's settings, which are handed over resolved; without k6's, which override scenarios; and
 * without credentials for the receivers of metrics. What an output needs of these is given to k6 with it.
 */
export function foreignEnvironment(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => !HANDED_OVER.has(name) && !name.startsWith("K6_") && !holdsOutputSecrets(name),
    ),
  );
}
