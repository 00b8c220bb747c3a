/** The section of docs/conformance.md that lists the members of the compatible interface, made from its table. Pure. */

import { oneOf } from "../../contract/check.ts";
import { FIELD_TYPE_NAMES } from "../../contract/fields.ts";
import { CHUNK_MEMBERS, COMPLETION_MEMBERS, EMBEDDINGS_MEMBERS, type Member } from "../../contract/openai-interface.ts";

const HEAD = "## Members of the compatible interface\n";

/** The page with its last section made anew. @throws Error when it has none */
export function withMembers(page: string): string {
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
