/** What shapes a conformance run. */

import { setting } from "./setting.ts";
import { parseRate } from "./units.ts";
import { COUNT, COUNT_OR_ZERO, DURATION, oneOf, SWITCH, TEXT } from "./values.ts";

/** End of a run for which no deadline is given. */
export const DEFAULT_DEADLINE = { withoutVideo: "10m", withVideo: "60m" } as const;

export const CONFORMANCE_SETTINGS = {
  only: setting(TEXT, {
    for: ["conformance"],
    value: "glob",
    help: "check only clauses whose id or area matches",
    repeatable: true,
  }),
  profile: setting(oneOf("service", "openai"), {
    for: ["conformance"],
    value: "name",
    default: "service",
    help: "service: the specification alone; openai: the OpenAI-compatible interface as well",
  }),
  video: setting(SWITCH, {
    for: ["conformance"],
    help: "allow clauses that create video tasks (they may cost money)",
  }),
  maxVideoJobs: setting(COUNT_OR_ZERO, {
    for: ["conformance"],
    value: "n",
    default: "8",
    help: "maximum number of video tasks to create",
  }),
  failingPrompt: setting(TEXT, {
    for: ["conformance"],
    value: "text",
    help: "video prompt that the target's content review rejects",
  }),
  deadline: setting(DURATION, {
    for: ["conformance"],
    value: "time",
    defaultNote: `${DEFAULT_DEADLINE.withoutVideo}; with --video ${DEFAULT_DEADLINE.withVideo}`,
    help: "maximum time for the whole run",
  }),
  concurrency: setting(COUNT, {
    for: ["conformance"],
    value: "n",
    default: "4",
    help: "maximum concurrent requests",
  }),
  maxRate: setting(
    { read: parseRate },
    {
      for: ["conformance"],
      value: "rate",
      defaultNote: "unlimited",
      help: "maximum requests per second, such as 5 or 90/m",
      insteadOf: "rate",
    },
  ),
  baseline: setting(TEXT, {
    for: ["conformance"],
    value: "file",
    help: "YAML list of known failures (clause, reason, expires); an entry that passes or has expired fails the run",
  }),
};
