/** The tables of docs/conformance.md: what a run costs, by its plan, and the members of the compatible interface. Pure. */

import { select } from "../../conformance/engine/clause-selection.ts";
import { type Plan, plan } from "../../conformance/engine/request-plan.ts";
import type { Clause } from "../../conformance/model/clause.ts";
import { oneOf } from "../../contract/check.ts";
import { FIELD_TYPE_NAMES } from "../../contract/fields.ts";
import { CHUNK_MEMBERS, COMPLETION_MEMBERS, EMBEDDINGS_MEMBERS, type Member } from "../../contract/openai-interface.ts";
import { CONFORMANCE_SETTINGS } from "../../settings/conformance-table.ts";

/** The page with its tables made anew. @throws Error when one of their sections is missing */
export const conformancePage = (page: string, clauses: readonly Clause[]): string =>
  withCost(withMembers(page), clauses);

const HEAD = "## Members of the compatible interface\n";
const COST_HEAD = "\n## What a run costs\n";

const RUNS = (["service", "openai"] as const).flatMap((profile) =>
  [false, true].map((video) => ({ profile, video, name: `\`${profile}\`${video ? ", `--video`" : ""}` })),
);
const MAX_JOBS = Number(CONFORMANCE_SETTINGS.maxVideoJobs.default);
const amount = (count: number): string => count.toLocaleString("en");
const COSTS: readonly (readonly [string, (planned: Plan) => string])[] = [
  ["requests to a target that conforms", ({ requests }) => amount(requests.best)],
  ["requests at most", ({ requests }) => amount(requests.worst)],
  ["invalid requests among them, at most", ({ invalidRequests }) => amount(invalidRequests.worst)],
  ["requests without a valid key among them, at most", ({ keyRequests }) => amount(keyRequests)],
  ["short valid requests after these, at most", ({ checks }) => amount(checks.worst)],
  ["input tokens at most (estimate)", ({ inputTokens }) => amount(inputTokens.worst)],
  ["output tokens at most, by `max_tokens`", ({ outputTokens }) => amount(outputTokens)],
  ["chats without `max_tokens`", ({ unlimitedRequests }) => amount(unlimitedRequests)],
  ["video tasks at most", ({ videoJobs }) => amount(videoJobs.worst)],
];

/** What a run costs, in the first table of its section. */
function withCost(page: string, clauses: readonly Clause[]): string {
  const begin = page.indexOf("\n|", page.indexOf(COST_HEAD)) + 1;
  const end = page.indexOf("\n\n", begin) + 1;
  if (!page.includes(COST_HEAD) || begin < 1 || end < 1)
    throw new Error(`docs/conformance.md needs the section "${COST_HEAD.trim()}" with a table`);
  const plans = RUNS.map((run) => plan(select(clauses, run), { maxVideoJobs: MAX_JOBS }));
  const rows = [
    ["", ...RUNS.map(({ name }) => name)],
    ["-", ...RUNS.map(() => "-:")],
    ...COSTS.map(([name, of]) => [name, ...plans.map(of)]),
  ];
  return `${page.slice(0, begin)}${rows.map((row) => `| ${row.join(" | ")} |\n`).join("")}${page.slice(end)}`;
}

/** The page with its last section made anew. */
function withMembers(page: string): string {
  const at = page.indexOf(HEAD);
  if (at < 0) throw new Error(`docs/conformance.md needs the section "${HEAD.trim()}" at its end`);
  const introduction = page.slice(at + HEAD.length).split("\n### ", 1)[0];
  const tables = [
    section("A completion", COMPLETION_MEMBERS),
    section("A chunk of a stream", CHUNK_MEMBERS),
    section("A list of embeddings", EMBEDDINGS_MEMBERS),
  ];
  return `${page.slice(0, at)}${HEAD}${introduction}\n${tables.join("\n")}`;
}

const section = (title: string, members: readonly Member[]): string =>
  [
    `### ${title}\n`,
    "| member | must be | left out | checked by |",
    "| ------ | ------- | -------- | ---------- |",
    ...members.map((member) => `| ${cellsOf(member).join(" | ")} |`),
    "",
  ].join("\n");

const cellsOf = (member: Member): readonly string[] => [
  `\`${member.path}\``,
  `${kindOf(member)}${member.nullable ? ", or null" : ""}`,
  member.absent ?? "allowed",
  member.stated ? "a clause of the specification" : "the profile openai",
];

function kindOf({ type, values, min, max }: Member): string {
  if (values !== undefined) return oneOf(values);
  const range = max === undefined ? (min === undefined ? "" : ` of at least ${min}`) : ` from ${min} to ${max}`;
  return `${FIELD_TYPE_NAMES[type]}${range}`;
}
