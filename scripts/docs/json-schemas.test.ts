/** The JSON Schemas of Assay's files in `docs/schemas/`, generated from the zod schemas; `npm run docs` writes them. */

import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import { calibration } from "../../formats/calibration.ts";
import { canaryHeader, canaryLine } from "../../formats/canary.ts";
import { clientLine } from "../../formats/client.ts";
import { compareResult } from "../../formats/compare.ts";
import { conformanceResult } from "../../formats/conformance.ts";
import { conformanceMatrix } from "../../formats/conformance-matrix.ts";
import { exchangeLine, exchangesHeader } from "../../formats/exchanges.ts";
import { groundTruthRow } from "../../formats/ground-truth.ts";
import { historyLine } from "../../formats/history.ts";
import { historySummary } from "../../formats/history-summary.ts";
import { loadFile } from "../../formats/load.ts";
import { arrivalLine, gapsLine, recordHeader, requestRecord } from "../../formats/records.ts";
import { repeatResult } from "../../formats/repeat.ts";
import { runResult } from "../../formats/run.ts";
import { runsResult } from "../../formats/runs.ts";
import { scrapeLine, scrapesHeader } from "../../formats/scrapes.ts";
import { searchResult } from "../../formats/search.ts";
import { searchesResult } from "../../formats/searches.ts";
import { stopFile } from "../../formats/stop.ts";
import { taskEvent } from "../../formats/tasks.ts";
import { verdictEnd, verdictHeader, verdictLine } from "../../formats/verdicts.ts";
import { isObject, parseJson } from "../../lib/json.ts";
import { settingsFile, workloadFile } from "../../load/read/workload-form.ts";
import { SETTINGS } from "../../settings/all-settings.ts";
import type { Settings } from "../../settings/setting.ts";

const FORMATS = new URL("../../formats/", import.meta.url);

/** What a user writes, and so no format of Assay's own. */
const WORKLOADS = "workloads";
const SETTINGS_FILE = "settings";

/** By the name of the module; of a file of lines, each line is one of these. */
const SCHEMAS: Readonly<Record<string, readonly [title: string, z.ZodType]>> = {
  calibration: ["calibration.json", calibration],
  client: ["A line of client.jsonl", clientLine],
  canary: ["A line of canary.jsonl", z.union([canaryHeader, canaryLine])],
  compare: ["compare.json", compareResult],
  conformance: ["conformance.json", conformanceResult],
  "conformance-matrix": ["matrix.json", conformanceMatrix],
  exchanges: ["A line of exchanges.jsonl", z.union([exchangesHeader, exchangeLine])],
  "ground-truth": ["A line of ledger.jsonl", groundTruthRow],
  history: ["A line of history.jsonl", historyLine],
  "history-summary": ["What assay history --json prints", historySummary],
  load: ["load.json", loadFile],
  records: ["A line of records.jsonl", z.union([recordHeader, requestRecord, gapsLine, arrivalLine])],
  repeat: ["repeat.json", repeatResult],
  run: ["run.json", runResult],
  runs: ["runs.json", runsResult],
  scrapes: ["A line of scrapes.jsonl", z.union([scrapesHeader, scrapeLine])],
  search: ["search.json", searchResult],
  searches: ["searches.json", searchesResult],
  stop: ["stop.json", stopFile],
  tasks: ["A line of tasks.jsonl", taskEvent],
  verdicts: ["A line of verdicts.jsonl", z.union([verdictHeader, verdictLine, verdictEnd])],
  [WORKLOADS]: ["A file of workloads", workloadFile],
  [SETTINGS_FILE]: ["assay.yaml", settingsFile],
};

/** The members of the recorded settings are described where the settings are. */
const HELP = new Map(Object.entries<Settings[string]>(SETTINGS).map(([name, { help }]) => [name, help]));

function describeSettings(schema: z.core.JSONSchema.BaseSchema): void {
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    const help = HELP.get(name);
    if (typeof member !== "boolean" && help !== undefined) member.description ??= help;
  }
}

/** Optional members stay optional and further ones are allowed, as Assay itself reads its files. */
const jsonSchemaOf = (title: string, schema: z.ZodType): string => {
  const json = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override: ({ jsonSchema, path }) => {
      if (path.at(-1) === "settings") describeSettings(jsonSchema);
      delete jsonSchema.readOnly;
      // A format is enough; zod adds a long pattern for the same.
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
    },
  });
  return `${compactJson({ title, ...json })}\n`;
};

/** JSON with a value per line where it fits, as a formatter of code writes it. @param used columns before it, and after it */
function compactJson(value: unknown, indent = "", used = 1): string {
  const text = JSON.stringify(value, null, 1).replace(/\n */g, " ");
  if (typeof value !== "object" || value === null || indent.length + used + text.length <= 120) return text;
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const members = Array.isArray(value)
    ? value.map((each) => compactJson(each, inner))
    : Object.entries(value).map(([name, member]) => {
        const key = `${JSON.stringify(name)}: `;
        return key + compactJson(member, inner, key.length + 1);
      });
  return `${open}\n${members.map((member) => inner + member).join(",\n")}\n${indent}${close}`;
}

test.each(Object.entries(SCHEMAS))("%s", async (name, [title, schema]) => {
  await expect(jsonSchemaOf(title, schema)).toMatchFileSnapshot(`../../docs/schemas/${name}.schema.json`);
});

/** The paths of members without a description; one that can only have one value needs none. */
function undescribed(node: unknown, path: string, definitions: Readonly<Record<string, unknown>> = {}): string[] {
  if (Array.isArray(node)) return node.flatMap((each) => undescribed(each, path, definitions));
  if (!isObject(node)) return [];
  const described = (member: unknown): boolean =>
    !isObject(member) ||
    member["description"] !== undefined ||
    member["const"] !== undefined ||
    (typeof member["$ref"] === "string" && described(definitions[member["$ref"].replace("#/$defs/", "")] ?? {}));
  const members = isObject(node["properties"]) ? Object.entries(node["properties"]) : [];
  const own = members.filter(([, member]) => !described(member)).map(([name]) => `${path}.${name}`);
  const inner = members.flatMap(([name, member]) => undescribed(member, `${path}.${name}`, definitions));
  const others = ["items", "prefixItems", "additionalProperties", "anyOf", "oneOf", "allOf"].flatMap((key) =>
    undescribed(node[key], path, definitions),
  );
  return [...new Set([...own, ...inner, ...others])];
}

/** The same of a whole schema: its members, and those of what it defines once. */
function undescribedIn(schema: unknown, name: string): string[] {
  const definitions = isObject(schema) && isObject(schema["$defs"]) ? schema["$defs"] : {};
  const shared = Object.entries(definitions).flatMap(([id, each]) => undescribed(each, `${name}#${id}`, definitions));
  return [...undescribed(schema, name, definitions), ...shared];
}

test.each(Object.entries(SCHEMAS))("every member of %s has a description", (name, [title, schema]) => {
  expect(undescribedIn(parseJson(jsonSchemaOf(title, schema)), name)).toEqual([]);
});

test("every format has one, and there is no other", () => {
  // The modules run-… hold parts of run.json, and members those of several formats.
  const modules = readdirSync(FORMATS).filter(
    (name) =>
      /^(?!run-|members)[a-z-]+\.ts$/.test(name) && readFileSync(new URL(name, FORMATS), "utf8").includes('from "zod"'),
  );
  const names = Object.keys(SCHEMAS).toSorted();
  expect([...modules.map((name) => name.replace(".ts", "")), WORKLOADS, SETTINGS_FILE].toSorted()).toEqual(names);
  const written = readdirSync(new URL("../../docs/schemas", import.meta.url));
  // A missing file is the first test's to write or to miss.
  expect(names.map((name) => `${name}.schema.json`)).toEqual(expect.arrayContaining(written));
});

test("each format has an id of its own", () => {
  const ids = Object.entries(SCHEMAS).flatMap(([title, [, schema]]) => {
    const [, id] = /"const": ?"(assay\.[^"]+)"/.exec(jsonSchemaOf(title, schema)) ?? [];
    return id === undefined ? [] : [id];
  });
  expect(ids.length).toBeGreaterThan(10);
  expect(new Set(ids).size).toBe(ids.length);
});
