/** The environment of the processes that we start: the user's own, without what would steer them past our settings. */

import { SETTINGS, settingVariable } from "../../settings/table.ts";

const OURS = new Set([...Object.keys(SETTINGS).map(settingVariable), "ASSAY_API_KEY", "ASSAY_API_KEYS", "ASSAY_OUT"]);

/** Tells a process of ours that its standard input closes when its parent is gone, and that it should then end. */
export const PARENT_PIPE = "ASSAY_PARENT_PIPE";

/** k6 settings of the user's that may pass: where live metrics go, never what runs. */
const PASSED_K6_VARIABLES = /^K6_(?:PROMETHEUS|OTEL|WEB_DASHBOARD)_/;

/** The environment without Assay's settings, which are handed over resolved, and without k6's, which override scenarios. */
export function foreignEnvironment(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => !OURS.has(name) && (!name.startsWith("K6_") || PASSED_K6_VARIABLES.test(name)),
    ),
  );
}
