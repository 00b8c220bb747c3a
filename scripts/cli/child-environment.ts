/** The environment of child processes: the user's own, without what would override the settings they are given. */

import { SETTINGS } from "../../settings/all-settings.ts";
import { settingVariable } from "../../settings/setting.ts";

/** Set for a child process whose standard input closes when its parent is gone: it ends then. */
export const PARENT_PIPE = "ASSAY_PARENT_PIPE";

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
];

const HANDED_OVER = new Set([...Object.keys(SETTINGS).map(settingVariable), ...RESOLVED]);

/** k6 settings of the user that are passed on: where live metrics go, never what runs. */
const PASSED_K6_VARIABLES = /^K6_(?:PROMETHEUS|OTEL|WEB_DASHBOARD)_/;

/** The environment without Assay's settings, which are handed over resolved, and without k6's, which override scenarios. */
export function foreignEnvironment(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => !HANDED_OVER.has(name) && (!name.startsWith("K6_") || PASSED_K6_VARIABLES.test(name)),
    ),
  );
}
