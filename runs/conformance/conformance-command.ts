/** What `assay conformance` does. */

import { join } from "node:path";
import { keyNotice } from "../../cli/api-keys.ts";
import { type CommonFlags, resolveSettings } from "../../cli/command-settings.ts";
import { print, printResult, progressOn } from "../../cli/console.mjs";
import { afterConformance, nextLine } from "../../cli/next-command.ts";
import { formatCount, preview } from "../../cli/preview.ts";
import { refusedHeader } from "../../cli/refused-header.ts";
import { folderForTarget, givenTarget, prefixNotice } from "../../cli/target.ts";
import { plan } from "../../conformance/engine/request-plan.ts";
import { type ConformanceResult, conformanceJson } from "../../formats/conformance.ts";
import { sentence } from "../../lib/text.ts";
import { conformanceLines } from "../views/conformance-views.ts";
import { checkTarget } from "./check-target.ts";
import { type ConformancePlan, planConformance, targetOf } from "./run-conformance.ts";

interface ConformanceFlags extends CommonFlags, Readonly<Record<string, unknown>> {
  readonly list?: boolean;
  readonly plan?: boolean;
}

/** Checks the target that flags name, or lists what would be checked, and sets the exit code of the process. */
export async function run(flags: ConformanceFlags): Promise<void> {
  if (flags.list) await printClauses();
  else if (flags.plan) print(conformancePreview(await planConformance(flags)));
  else await check(flags);
}

async function check(flags: ConformanceFlags): Promise<void> {
  const plan = await planConformance(flags);
  const progress = progressOn(flags.quiet);
  for (const notice of [prefixNotice(givenTarget(flags), plan.settings.target), keyNotice(plan.keys)]) {
    if (notice !== undefined) progress.say(notice);
  }
  const { waitFor } = resolveSettings("conformance", flags).values;
  const folder = await folderForTarget({ ...targetOf(plan), waitFor }, flags.out, "conformance", progress.say);
  const result = await checkTarget(plan, folder, progress);
  const header = servedNoChat(result) ? await refusedHeader(targetOf(plan).endpoints) : undefined;
  if (header !== undefined) progress.say(sentence(header));
  const text = await conformanceLines(folder, result);
  const more = `  report  ${join(folder, "conformance.html")}\n${nextLine(afterConformance(result, flags))}`;
  printResult(`${text}\n${more}`, () => conformanceJson(result));
  process.exitCode = result.exitCode;
}

/** Whether the simplest chat was refused, which a header may be the cause of. */
const servedNoChat = ({ clauses }: ConformanceResult): boolean =>
  clauses.some(({ id, verdict }) => id === "chat.minimal" && (verdict === "FAIL" || verdict === "INCONCLUSIVE"));

async function printClauses(): Promise<void> {
  const { loadClauses } = await import("../../conformance/engine/load-clauses.ts");
  const clauses = await loadClauses();
  const width = Math.max(...clauses.map(({ id }) => id.length));
  const lines = clauses.map(({ id, level, text }) => `${id.padEnd(width)}  ${level.padEnd(11)}  ${text}\n`);
  printResult(lines.join(""), () => clauses.map(({ id, level, text }) => ({ id, level, text })));
}

const formatRange = ({ best, worst }: { best: number; worst: number }): string =>
  best === worst ? formatCount(best) : `${formatCount(best)} (at most ${formatCount(worst)})`;

/** What a conformance run would send, for `--plan`. */
function conformancePreview({ settings, selections }: ConformancePlan): string {
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
