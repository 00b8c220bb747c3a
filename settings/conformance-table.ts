/** What shapes a conformance run. */

import { PARTS } from "../contract/service.ts";
import { inGroup, settingFor } from "./setting.ts";
import { COUNT, COUNT_OR_ZERO, DURATION, FILE, HEADER_NAME, oneOf, RATE, SWITCH, someOf, text } from "./values.ts";

const conformance = settingFor("conformance");
const selection = settingFor("conformance", "proxy");

/** End of a run for which no deadline is given. */
export const DEFAULT_DEADLINE = { withoutVideo: "10m", withVideo: "60m" } as const;

export const CONFORMANCE_SETTINGS = {
  redactBodies: settingFor("proxy")(SWITCH, "do not write or print any text of requests and responses"),
  trace: settingFor("proxy")(FILE, "write the traffic to this file as a trace: times, lengths and sessions, no text"),
  tenantHeader: settingFor("proxy")(HEADER_NAME, "header that names the tenant of a request, for --trace"),
  ...inGroup("Clauses", {
    only: selection(text("glob"), "check only clauses whose id or area matches", { repeatable: true }),
    profile: selection(
      oneOf("name", "service", "openai"),
      "service: the specification only; openai: the OpenAI-compatible interface too",
      { default: "service" },
    ),
    failOn: selection(
      oneOf("level", "fail", "warn"),
      "what fails a run: fail (failures only), or warn (warnings too)",
      { default: "fail" },
    ),
    require: conformance(
      someOf("part", ...PARTS),
      "parts that must be checked completely, or the run is inconclusive: chat, embeddings, video",
      { repeatable: true },
    ),
    baseline: selection(
      FILE,
      "YAML list of known failures (clause, reason, expires); an entry that passes or has expired fails the run",
    ),
  }),
  ...inGroup("Video tasks", {
    video: conformance(SWITCH, "allow clauses that create video tasks (they may cost money)"),
    maxVideoJobs: conformance(COUNT_OR_ZERO, "maximum number of video tasks to create", { default: "8" }),
    failingPrompt: conformance(text("text"), "video prompt that the target's content review rejects"),
  }),
  ...inGroup("Limits", {
    deadline: conformance(DURATION, "maximum time for the whole run", {
      defaultNote: `${DEFAULT_DEADLINE.withoutVideo}; with --video ${DEFAULT_DEADLINE.withVideo}`,
    }),
    concurrency: conformance(COUNT, "maximum concurrent requests", { default: "8" }),
    maxRate: conformance(RATE, "maximum requests per second, such as 5 or 90/m", {
      defaultNote: "unlimited",
      insteadOf: "rate",
    }),
  }),
};
