/** Scenario files of the user's own: as workloads beside others, and with objectives that they declare. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { assay, type Ended, newFile, newFolder } from "../../support/commands/assay-process.ts";
import { FEW_UNITS, FEW_USERS, type Loaded, loadToEnd, requireMet } from "../../support/commands/load-to-end.ts";
import { arrivalLinesOf, recordsOf } from "../../support/results/read-results.ts";
import { startMockProcess } from "../../support/targets/spawned-mock.ts";

const SHORT = [...FEW_USERS, "--duration", "2s", "--warmup", "0"];
let target = "";
beforeAll(async () => {
  target = (await startMockProcess("--timing", "instant")).url;
});

const write = (name: string, text: string): string => newFile(name, text);

/** A scenario of one streamed chat; `declared` is the second argument of `loadShape`. */
const streaming = (declared: string): string =>
  write(
    "streaming.ts",
    `import { loadShape, paced, promptFor, streamChat } from "@assay-load/assay/scenarios";
export const options = loadShape("streaming", ${declared});
export default paced((arrival) => streamChat(promptFor(arrival)));
`,
  );

const TWO_STEPS = `import { embed, endpoint, loadShape, paced, promptFor, promptsFor } from "@assay-load/assay/scenarios";
const ask = endpoint({ path: "/v1/chat/completions", fields: { "choices[].message": "object" } });
const tools = [{ type: "function", function: { name: "weather", parameters: { type: "object" } } }];
export const options = { ...loadShape("two-steps", { slo: ["e2e_p50<20s"] }) };
export default paced((arrival) => {
  if (arrival.index < 0) throw new Error("never");
  ask.send({ model: "assay-chat", messages: [{ role: "user", content: "Rome?" }], tools });
  embed(promptsFor(arrival, 2));
});
export const teardown = () => console.error("the teardown of two steps");
void promptFor;
`;

describe.concurrent("a workload with a scenario file", () => {
  let loaded: Loaded;
  let log = "";
  beforeAll(async () => {
    const file = write(
      "load.yaml",
      `workloads:
  - { name: chats, operation: chat-stream }
  - { name: tools, scenario: ${write("two-steps.ts", TWO_STEPS)}, model: some-model, slo: ok>=2 }
`,
    );
    const flags = [...FEW_UNITS, ...SHORT, "--rate", "30", "--workload", file];
    loaded = await loadToEnd(undefined, target, flags);
    log = readFileSync(join(loaded.folder, "k6.log"), "utf8");
  });

  test("runs it for the arrivals of that workload, with its settings, beside the others", () => {
    requireMet(loaded);
    const records = recordsOf(loaded.folder);
    const opsOf = (name: string) => new Set(records.filter(({ workload }) => workload === name).map(({ op }) => op));
    expect(opsOf("chats")).toEqual(new Set(["chat.stream"]));
    expect(opsOf("tools")).toEqual(new Set(["custom", "embeddings"]));
    const models = records.filter(({ op, workload }) => workload === "tools" && op === "embeddings");
    expect(new Set(models.map(({ model }) => model))).toEqual(new Set(["some-model"]));
    expect(log).toContain("the teardown of two steps");
  });

  test("is reported as a unit of work of two requests, with its own objectives and those that its file declares", () => {
    const { parts, counts, slos } = loaded.run;
    expect(counts.ok).toBe((parts?.["chats"]?.counts.ok ?? 0) + (parts?.["tools"]?.counts.ok ?? 0));
    // The measured time, or the run, may end between the two requests of a unit.
    const records = recordsOf(loaded.folder).filter(
      ({ workload, outcome }) => workload === "tools" && outcome === "ok",
    );
    const arrivalsOf = (name: string) => new Set(records.flatMap(({ op, arrival }) => (op === name ? [arrival] : [])));
    const first = arrivalsOf("custom");
    expect(parts?.["tools"]?.counts.ok).toBe(
      [...arrivalsOf("embeddings")].filter((arrival) => first.has(arrival)).length,
    );
    expect(slos.map(({ expr, ok }) => [expr, ok])).toEqual(
      expect.arrayContaining([
        ["tools.ok>=2", true],
        ["tools.e2e_p50<20s", true],
      ]),
    );
  });
});

test.concurrent.each([false, true])("what a chat said is in the reply, streamed: %s", async (stream) => {
  const scenario = write(
    "said.ts",
    `import { endpoint, loadShape, paced } from "@assay-load/assay/scenarios";
const ask = endpoint({ path: "/v1/chat/completions", stream: ${stream}, text: true });
export const options = loadShape("said");
export default paced(() => {
  const { text } = ask.send({ model: "assay-chat", messages: [{ role: "user", content: "Rome?" }], stream: ${stream} });
  throw new Error("it said " + text);
});
`,
  );
  const { folder } = await loadToEnd(scenario, target, [...SHORT, "--max-requests", "3"]);
  const threw = arrivalLinesOf(folder).map(({ detail }) => detail);
  expect(threw.length).toBeGreaterThan(0);
  for (const detail of threw) expect(detail).toMatch(/^Error: it said \S+ \S+/);
});

const load = (folder: string, ...args: readonly string[]): Promise<Ended> =>
  assay(["load", "--target", target, "--out", folder, "--rate", "20", ...SHORT, ...args]);

describe.concurrent("objectives of a scenario", () => {
  test("decide beside the default ones, and alone where those are left out", async () => {
    const missed = await loadToEnd(streaming('{ slo: ["ok>=1000"] }'), target, [...SHORT, "--rate", "20"]);
    expect(missed.code, missed.stdout).toBe(1);
    expect(missed.run.slos.map(({ expr }) => expr)).toEqual(["error_rate<1%", "ok>=1", "ok>=1000"]);
    const alone = await loadToEnd(streaming('{ slo: ["ok>=1"] }'), target, [...SHORT, "--set", "no-default-slos"]);
    expect(alone.run.slos).toMatchObject([{ expr: "ok>=1", ok: true }]);
    // It could have sent video tasks, which are checked: it sent none.
    expect(alone.stdout).not.toContain("checked against the specification");
  });

  test.each([
    ["cannot be read", '{ slo: ["ttft_p96<1s"] }', [], /There is no metric ttft_p96 to bound; did you mean ttft_p9/],
    ["is of an unknown workload", '{ slo: ["chat.ok>=1"] }', [], /the load has one workload; write ok>=1/],
    ["is missing", "{}", ["--set", "no-default-slos"], /Cannot load without an objective/],
  ])("end the run before anything is sent if one %s", async (_, declared, flags, said) => {
    const folder = newFolder();
    const { code, stderr } = await load(folder, streaming(declared), ...flags);
    expect(stderr).toMatch(said);
    expect(code, stderr).toBe(3);
    expect(recordsOf(folder)).toEqual([]);
  });
});

test.concurrent.each([
  ["load", []],
  ["load", ["--repeat", "2"]],
  ["bundle", []],
])("a scenario that cannot be bundled leaves no folder behind: %s %j", async (command, flags) => {
  const [folder, broken] = [join(newFolder(), "results"), write("broken.ts", "export default (;")];
  const { code, stderr } = await assay([command, broken, "--target", target, "--out", folder, ...flags]);
  expect(stderr).toContain("broken.ts:1:16");
  expect(code, stderr).toBe(3);
  expect(existsSync(folder)).toBe(false);
});

test.concurrent.each([
  ["default export is not what paced()", "export default () => undefined;"],
  ["export options is not what loadShape()", "export default paced(() => undefined);"],
  [
    "exports setup()",
    'export const options = loadShape("x"); export default paced(() => undefined); export const setup = () => 1;',
  ],
])("the file of a workload that could not run as meant is refused: its %s", async (said, text) => {
  const scenario = write(
    "own.ts",
    `import { loadShape, paced } from "@assay-load/assay/scenarios"; void loadShape;\n${text}\n`,
  );
  const file = write("load.yaml", `workloads: [{ name: mine, scenario: ${scenario} }]\n`);
  const folder = newFolder();
  const { code, stderr } = await load(folder, "--workload", file);
  expect(stderr).toContain("Cannot use the scenario of the workload mine: it");
  expect(stderr).toContain(said);
  expect(stderr).not.toMatch(/\.\. /);
  expect(code, stderr).toBe(3);
  expect(recordsOf(folder)).toEqual([]);
});
