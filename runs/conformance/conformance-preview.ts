/** What a conformance run would send, for `--plan`, which sends nothing. */

import { formatCount, preview } from "../../cli/preview.ts";
import { plan } from "../../conformance/engine/request-plan.ts";
import type { ConformancePlan } from "./run-conformance.ts";

const formatRange = ({ best, worst }: { best: number; worst: number }): string =>
  best === worst ? formatCount(best) : `${formatCount(best)} (at most ${formatCount(worst)})`;

/** The plan of a conformance run. */
export function conformancePreview({ settings, selections }: ConformancePlan): string {
  const { clauses, requests, chatRequests, embeddingRequests, inputTokens, videoJobs, ...more } = plan(
    selections,
    settings,
  );
  const unlimited = more.unlimitedRequests === 0 ? "" : `, and ${more.unlimitedRequests} without max_tokens`;
  return preview(`Would check ${settings.target}; nothing is sent.`, [
    ["clauses", formatCount(clauses)],
    ["requests", formatRange(requests)],
    ["  chat", formatCount(chatRequests)],
    ["  embeddings", formatCount(embeddingRequests)],
    ["  that may be refused", formatRange(more.invalidRequests)],
    ["  without a valid key", formatCount(more.keyRequests)],
    ["  valid, after these", formatRange(more.checks)],
    ["input tokens, about", formatRange(inputTokens)],
    ["max output tokens", `${formatCount(more.outputTokens)}${unlimited}`],
    ["video tasks", formatRange(videoJobs)],
  ]);
}
