import { expect, test } from "vitest";
import { loadFile, loadText } from "../../formats/load.ts";
import { defaultsOf, readVariables } from "../setting.ts";
import { LOAD_SCHEMA, readLoad } from "./load-json.ts";
import { LOAD_SETTINGS } from "./load-table.ts";

const given = (variables: Readonly<Record<string, string>>) => {
  const { workload: _, ...values } = readVariables(LOAD_SETTINGS, variables);
  return values;
};
const edited = (settings: Readonly<Record<string, unknown>>) =>
  readLoad(JSON.stringify({ schema: LOAD_SCHEMA, settings: { target: "http://host", ...settings } }));

test("a load comes back from load.json as it was given", () => {
  const all = given({
    ASSAY_TARGET: "http://host",
    ASSAY_RATE: "10..50/s,20",
    ASSAY_ARRIVAL: "trace:a@2.csv@0.5",
    ASSAY_DURATION: "1.5ms",
    ASSAY_START_AT: "2126-11-21T18:00:00Z",
    ASSAY_MEMORY_LIMIT: "4GiB",
    ASSAY_MAX_TOKENS: "normal:50,5",
    ASSAY_TURNS: "2..6",
    ASSAY_THINK_TIME: "uniform:1s,9s",
    ASSAY_BATCH_SIZES: "1=7,8=3",
    ASSAY_VIDEO_RESOLUTIONS: "720p=9,1080p=1",
    ASSAY_CANCEL_AT: "at-once,50%,20s",
    ASSAY_EXTRA_BODY: '{"stop": ["a, b"], "min_tokens": 5}',
    ASSAY_HEADER: "x-a=A,x-b=B",
    ASSAY_TAG: "branch=main,team=a b",
    ASSAY_SLO: "ttft_p95<800ms,ok>=1",
    ASSAY_INSECURE: "true",
  });
  expect(readLoad(loadText(all))).toEqual(all);
  const digested = { ...all, inputDigests: { prompts: "ab", "team-a.prompts": "cd" } };
  expect(readLoad(loadText(digested))).toEqual(digested);
});

test("every setting of a load has a form in it", () => {
  const settings: Readonly<Record<string, { readonly form?: string | undefined }>> = LOAD_SETTINGS;
  expect(Object.keys(settings).filter((name) => name !== "mix" && settings[name]?.form === undefined)).toEqual([]);
});

test("a setting that is changed by hand may be the text of its flag, and one that is taken out has its default", () => {
  expect(edited({ duration: "2m", rate: "30/m", maxTokens: "uniform:1,9", arrival: "gamma:2" })).toMatchObject({
    ...{ duration: 120_000, rate: [{ from: 0.5, to: 0.5 }], maxTokens: { kind: "uniform", min: 1, max: 9 } },
    ...{ arrival: { process: "gamma", cv: 2 }, warmup: defaultsOf(LOAD_SETTINGS).warmup },
  });
});

test.each<[string, Readonly<Record<string, unknown>>, string]>([
  ["a name that is no setting", { duratoin: 5 }, '"duratoin" is not one of its settings. Did you mean "duration"?'],
  ["a value that is none", { duration: -5 }, 'Cannot read duration in load.json: "-5ms" is not a duration'],
  ["a form that is another", { vus: {} }, "Cannot read vus in load.json: it is an object, and no value"],
  ["the file of workloads", { workload: "team.yaml" }, "Cannot read workload in load.json"],
  [
    "a wrong setting of a workload",
    { workload: { title: "t", workloads: [{ name: "a", operation: "chat", settings: { maxTokens: "no" } }] } },
    "Cannot read maxTokens in settings of the workload a in load.json",
  ],
])("%s is refused, with its place", (_, settings, message) => {
  expect(() => edited(settings)).toThrow(message);
});

test.each(["", "[]", '{"schema":"assay.load-settings/2","settings":{}}'])("%s is no load", (text) => {
  expect(() => readLoad(text)).toThrow(
    'Cannot use load.json: it is not a JSON object with the schema "assay.load-settings/1"',
  );
  expect(loadFile.safeParse(text).success).toBe(false);
});
