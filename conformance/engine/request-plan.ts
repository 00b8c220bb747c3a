/** What a run would send, counted without sending anything. */

import { canonical } from "../../lib/json.ts";
import { CHARACTERS_PER_TOKEN } from "../../lib/text.ts";
import { type Clause, isFirst } from "../model/clause.ts";
import { type Probe, type RequestProbe, SHORT_REPLY_TOKENS, type TaskProbe } from "../model/probe.ts";
import { chat } from "../probes/chat.ts";
import { MOST_IN_A_ROW } from "./careful-lane.ts";
import type { Selection } from "./clause-selection.ts";
import { needsOf } from "./load-clauses.ts";
import { type Risk, riskOf } from "./request-risk.ts";

interface Range {
  /** A target that conforms to the specification. */
  readonly best: number;
  /** One that accepts every submission that it should refuse, refuses every packed one, and returns server errors. */
  readonly worst: number;
}

export interface Plan {
  readonly clauses: number;
  /** With the checks and one poll of each task that is waited for, without repeated attempts. */
  readonly requests: Range;
  /** Those of clauses; the same of embeddings. */
  readonly chatRequests: number;
  readonly embeddingRequests: number;
  /** Valid requests that show whether the target still serves, between those that it may refuse and after them. */
  readonly checks: Range;
  /** About how many tokens all chat and embedding requests hold. */
  readonly inputTokens: Range;
  /** How many tokens the target may write at most, by the max_tokens of the requests. */
  readonly outputTokens: number;
  /** Chat requests without max_tokens: the target chooses how much it writes. */
  readonly unlimitedRequests: number;
  /** Requests that it may refuse, sent again after a server error, and those without a key or with a wrong one. */
  readonly invalidRequests: Range;
  readonly keyRequests: number;
  readonly videoJobs: Range;
}

export interface PlanOptions {
  readonly maxVideoJobs: number;
  readonly failingPrompt?: string | undefined;
}

/** Counts what the selected clauses and their needs would send. */
export function plan(selections: readonly Selection[], { maxVideoJobs, failingPrompt }: PlanOptions): Plan {
  const byId = new Map(selections.map(({ clause }) => [clause.id, clause]));
  const selected = selections.filter((selection) => selection.selected).map(({ clause }) => clause);
  const clauses = [...new Set(selected.flatMap((clause) => [clause, ...needsOf(clause, byId)]))];
  const probes = new Map(
    clauses
      .flatMap(({ probes, alsoSent, again }) => [...probes, ...alsoSent, ...again].flatMap(withPacked))
      .map((probe) => [probe.name, probe]),
  );
  const isSure = ({ afterRefused }: RequestProbe): boolean => afterRefused === undefined;
  const requests = [...probes.values()].filter((probe): probe is RequestProbe => probe.kind === "request");
  const tasks = [...probes.values()]
    .filter((probe): probe is TaskProbe => probe.kind === "task")
    .filter(({ onlyWith }) => onlyWith === undefined || failingPrompt !== undefined);
  const own = tasks.filter(({ packedIn }) => packedIn === undefined);
  const wanted = own.filter((probe) => isWanted(probe, clauses));
  const jobs: Range = {
    best: Math.min(maxVideoJobs, wanted.length),
    worst: Math.min(maxVideoJobs, tasks.length),
  };
  const count = (risk: Risk): number => [...requests, ...own].filter((probe) => riskOf(probe) === risk).length;
  const posts = requests.filter(({ method }) => method === "POST");
  const chats = posts.filter(({ body }) => body?.["messages"] !== undefined);
  const limits = chats.flatMap(({ body }) => (body?.["max_tokens"] === undefined ? [] : [Number(body["max_tokens"])]));
  const embeddings = posts.filter(({ path }) => path.endsWith("/embeddings"));
  const [invalid, keys, again] = [count("invalid"), count("key"), againAfterErrors(clauses, probes)];
  // After some invalid ones, or after each where the target returns errors.
  const checks: Range = { best: Math.ceil(invalid / MOST_IN_A_ROW) + keys, worst: invalid + again + keys };
  const held = sum(posts, tokensIn);
  // The minimal request of an endpoint that is served in another form than that of the specification alone, and again in that form.
  const refusedForms = clauses.filter(isFirst).length;
  return {
    clauses: selected.length,
    requests: {
      best:
        requests.filter(isSure).length +
        checks.best +
        sum(wanted, ({ steps }) => 1 + steps.length) +
        own.length -
        wanted.length,
      worst: requests.length + checks.worst + again + sum(tasks, ({ steps }) => 1 + steps.length) + refusedForms,
    },
    checks,
    chatRequests: posts.length - embeddings.length,
    embeddingRequests: embeddings.length,
    inputTokens: { best: held + checks.best * tokensIn(chat()), worst: held + checks.worst * tokensIn(chat()) },
    outputTokens:
      sum(limits, (limit) => Math.max(0, Math.ceil(limit))) +
      (chats.length === 0 ? 0 : checks.worst * SHORT_REPLY_TOKENS),
    unlimitedRequests: chats.length - limits.length,
    invalidRequests: { best: invalid, worst: invalid + again },
    keyRequests: keys,
    videoJobs: jobs,
  };
}

/** How many requests are sent where each invalid one gets a server error, of those that are not sent anyway. */
function againAfterErrors(clauses: readonly Clause[], known: ReadonlyMap<string, Probe>): number {
  const names = clauses
    .flatMap(({ confirmedBy }) => confirmedBy)
    .flatMap(({ name }) => (known.has(name) ? [] : [name]));
  return new Set(names).size;
}

/** Input tokens of a request, estimated by its length. */
const tokensIn = ({ body }: RequestProbe): number => Math.ceil(canonical(body ?? {}).length / CHARACTERS_PER_TOKEN);

const withPacked = (probe: Probe): readonly Probe[] =>
  probe.kind === "task" && probe.packedIn !== undefined ? [probe, probe.packedIn] : [probe];

/** Whether a target that conforms to the specification accepts the submission: a clause says so, or a clause looks at its history. */
const isWanted = (probe: TaskProbe, clauses: readonly Clause[]): boolean =>
  probe.steps.length > 1 ||
  clauses.some(({ accepts, probes: [own] }) => accepts && (own.name === probe.name || packsIt(own, probe)));

const packsIt = (own: Probe, probe: TaskProbe): boolean => own.kind === "task" && own.packedIn?.name === probe.name;

const sum = <T>(values: readonly T[], of: (value: T) => number): number =>
  values.reduce((total, value) => total + of(value), 0);
