/**
 * A pull request from checkout to comment: the steps of action.yml, of the component for GitLab and of the Jenkinsfile are carried
 * out with the environment of their runners, the mock as base and a slower one as branch.
 */

import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { ROOT } from "../../../scripts/supply-chain/components.ts";
import { cleanEnvironment, newFolder } from "../../support/commands/assay-process.ts";
import { unspoiled } from "../../support/commands/busy-machine.ts";
import { actionFile, bash, type PlayedJob, playAction } from "../../support/pages/github-runner.ts";
import { startMockProcess } from "../../support/targets/spawned-mock.ts";
import { startCommentApi } from "./comment-api.ts";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const action = actionFile.parse(parse(read("action.yml")));

const TOKEN = "token-of-the-job";
const KEY = { ASSAY_API_KEY: "key-of-the-gate" };
const LOAD = "--rate 20 --duration 4s --warmup 0 --set no-default-slos --slo 'ok>=1' --seed 7";
const mock = (...flags: readonly string[]) =>
  startMockProcess("--timing", "instant", "--itl", "2ms", "--output-tokens", "20", ...flags);

const job = (workspace: string, inputs: Readonly<Record<string, string>>, env = {}): PlayedJob => ({
  inputs,
  env: { ...KEY, ...env },
  workspace,
  github: {
    action_path: ROOT,
    run_id: "42",
    ref_name: "17/merge",
    "event.repository.default_branch": "main",
    server_url: "https://github.example",
    repository: "team/service",
    token: TOKEN,
  },
});

/** The environment of a job of a pull request, whose API is played. */
function pullRequest(workspace: string, api: string): Record<string, string> {
  const event = join(workspace, "event.json");
  writeFileSync(event, JSON.stringify({ pull_request: { number: 17 } }));
  return { GITHUB_API_URL: api, GITHUB_REPOSITORY: "team/service", GITHUB_EVENT_PATH: event };
}

/** A load of the mock passes, unless the machine of the tests is too busy for its timing. */
const PASSED_OR_BUSY = [0, 2];

test("a slower branch is found in turn with its base, annotated and commented on once", async () => {
  const [base, branch] = [await mock("--ttft", "100ms"), await mock("--ttft", "2s")];
  // Its requests end at the time limit, which is seen also where the machine of the tests is too busy for latencies.
  const inputs = { target: branch.url, baseline: base.url, args: `${LOAD} --set timeout=1s`, "max-regression": "10%" };
  const { workspace, ended } = await unspoiled(
    async () => {
      const workspace = newFolder();
      return { workspace, ended: await playAction(action, job(workspace, inputs)) };
    },
    ({ ended: { code, stdout, stderr } }) =>
      code === 2 ? /run is CLIENT-LIMITED.*/.exec(stdout + stderr)?.[0] : undefined,
  );
  expect(ended.code, ended.stderr).toBe(1);
  expect(ended.outputs).toMatchObject({ verdict: "REGRESSION", "exit-code": "1" });
  expect(ended.outputs["report"]).toMatch(/assay-results\/assay\/compare\/compare\.html$/);
  const figures = z.array(z.record(z.string(), z.unknown())).parse(JSON.parse(ended.outputs["figures"] ?? ""));
  const errors = figures.find(({ metric }) => metric === "error_rate");
  const [low] = z.tuple([z.number(), z.number().nullable()]).parse(errors?.["interval"]);
  expect(errors?.["verdict"]).toBe("worse");
  expect(low).toBeGreaterThan(0);
  expect(ended.stdout).toMatch(/^::error title=error_rate%3A worse::.*interval .*\d/m);
  expect(ended.summary).toContain("### ❌ REGRESSION");
  expect(ended.used.at(-1)).toEqual(["actions/upload-artifact@v4", { name: "assay", path: "assay-results/assay" }]);
  const results = join(workspace, "assay-results", "assay");
  const started = ["base-1", "new-1", "base-2", "new-2"].map((run) => startOf(join(results, run)));
  expect(started).toEqual(started.toSorted());

  const api = await startCommentApi(
    TOKEN,
    Array.from({ length: 101 }, (_, nth) => `comment ${nth}`),
  );
  const comment = job(workspace, { comment: "true" }, pullRequest(workspace, api.url));
  for (const says of ["Wrote the comment.", "Edited the comment."]) {
    const posted = await playAction(action, comment);
    expect(posted.code, posted.stderr).toBe(0);
    expect(posted.stderr).toContain(says);
    expect(posted.stdout + posted.stderr).not.toContain(TOKEN);
  }
  expect(api.comments.length).toBe(102);
  const { body } = api.comments.at(-1) ?? { body: "" };
  expect(body).toMatch(/### ❌ REGRESSION/);
  const rows = body.split("\n").filter((line) => line.startsWith("| `"));
  expect(rows[0]).toContain("❌ worse");
  expect(body).toContain("(https://github.example/team/service/actions/runs/42)");

  const refused = await playAction(action, { ...comment, github: { ...comment.github, token: "another" } });
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("returned 403");
});

const startOf = (folder: string): string =>
  z.object({ startedAt: z.string() }).parse(JSON.parse(readFileSync(join(folder, "run.json"), "utf8"))).startedAt;

test("without its secret, or without a baseline to compare with, a gate is not run, and never green", async () => {
  const target = "http://127.0.0.1:9";
  const workspace = newFolder();
  const fork = await playAction(action, job(workspace, { target, args: LOAD }, { ASSAY_API_KEY: "" }));
  expect([fork.code, fork.outputs["verdict"], fork.outputs["exit-code"]]).toEqual([2, "NOT RUN", "2"]);
  expect(fork.summary).toContain("### ⚪ NOT RUN");
  expect(fork.stdout).toMatch(/^::warning title=Not run::ASSAY_API_KEY is empty/m);

  const first = await playAction(action, job(newFolder(), { target, args: LOAD, baseline: "last" }));
  expect([first.code, first.outputs["verdict"]]).toEqual([2, "NOT RUN"]);
  expect(first.used.map(([name]) => name)).toContain("actions/cache/restore@v4");

  const unreachable = await playAction(action, job(newFolder(), { target, args: LOAD }));
  expect([unreachable.code, unreachable.outputs["verdict"]]).toEqual([2, "NOT RUN"]);
  expect(unreachable.summary).toContain("Cannot reach");

  const wrong = await playAction(action, job(workspace, { target, command: "report", name: "wrong" }));
  expect([wrong.code, wrong.outputs["exit-code"]]).toEqual([3, ""]);

  const api = await startCommentApi(TOKEN);
  for (const name of ["wrong", "without-artifact"]) {
    const comment = job(workspace, { comment: "true", name }, pullRequest(workspace, api.url));
    const { code, stderr } = await playAction(action, comment);
    expect(code, stderr).toBe(0);
  }
  expect(api.comments.map(({ body }) => body)).toEqual([
    expect.stringMatching(/### ⚪ NOT RUN: wrong[\s\S]*report/),
    expect.stringMatching(/### ⚪ NOT RUN: without-artifact[\s\S]*the log of the job says why/),
  ]);
});

test("a run on the default branch is kept, and the next pull request is compared with it", async () => {
  const { url: target } = await mock();
  const workspace = newFolder();
  const onMain = job(workspace, { target, args: LOAD, version: "0.1.0", name: "gate" });
  // The package that npm would have installed is this checkout.
  const { version: _, ...inputs } = onMain.inputs;
  const main = await playAction(action, { ...onMain, inputs, github: { ...onMain.github, ref_name: "main" } });
  expect(PASSED_OR_BUSY, main.stderr).toContain(main.code);
  expect(main.outputs["verdict"]).toMatch(/^(PASSED|CLIENT-LIMITED)$/);
  expect(main.summary).toContain(": gate\n");
  const saved = ["actions/cache/save@v4", { path: ".assay-baseline/gate", key: "gate-baseline-42" }];
  expect(main.used.filter(([name]) => name === saved[0])).toEqual(main.code === 0 ? [saved] : []);
  const later = job(workspace, { ...inputs, target: "http://127.0.0.1:9", name: "gone" });
  const notRun = await playAction(action, { ...later, github: { ...later.github, ref_name: "main" } });
  expect(notRun.outputs["verdict"]).toBe("NOT RUN");
  expect(notRun.used.map(([name]) => name)).not.toContain(saved[0]);
  // The cache, which is played, would have the results of a busy machine from an earlier run.
  cpSync(join(workspace, "assay-results/gate"), join(workspace, ".assay-baseline/gate"), { recursive: true });
  rmSync(join(workspace, "assay-results"), { recursive: true });
  const next = await playAction(action, job(workspace, { ...inputs, baseline: "last", "max-regression": "1000%" }));
  expect(readdirSync(join(workspace, "assay-results", "gate")).toSorted()).toEqual([".assay", "compare", "new-1"]);
  expect([0, 2], next.stderr).toContain(next.code);
});

test("a conformance run fails with a known clause, which is annotated", async () => {
  const { url: target } = await startMockProcess("--timing", "instant", "--fault", "all-500");
  const ended = await playAction(
    action,
    job(newFolder(), { command: "conformance", target, args: "--only 'chat.status'" }),
  );
  expect(ended.code).not.toBe(0);
  expect(ended.stdout).toMatch(/^::(error|warning) title=chat\.status%3A/m);
});

const component = z.object({
  assay: z.object({
    script: z.array(z.string()),
    before_script: z.array(z.string()),
    after_script: z.array(z.string()),
    variables: z.record(z.string(), z.string()),
    rules: z.array(z.object({ if: z.string() })),
    artifacts: z.object({ when: z.literal("always"), reports: z.object({ junit: z.string() }) }),
  }),
});
const header = z.object({
  spec: z.object({ inputs: z.record(z.string(), z.object({ default: z.string().optional() }).nullable()) }),
});

/** A workspace in which Assay is checked out, and npm is played, as whatever else is in `bin`. */
function workspaceWithAssay(): { readonly folder: string; readonly bin: string; readonly env: NodeJS.ProcessEnv } {
  const folder = newFolder();
  symlinkSync(ROOT, join(folder, ".assay"));
  const bin = join(folder, "bin");
  mkdirSync(bin);
  for (const name of ["npm", "apt-get"]) writeFileSync(join(bin, name), "#!/bin/sh\n", { mode: 0o755 });
  return { folder, bin, env: { ...cleanEnvironment(), ...KEY, PATH: `${bin}:${process.env["PATH"]}` } };
}

test("the component for GitLab runs its gate, and comments on the merge request", async () => {
  const [head, body] = parseAllDocuments(read("ci/gitlab-component.yml")).map((document) => document.toJS());
  const { inputs } = header.parse(head).spec;
  const { assay } = component.parse(body);
  const { url } = await mock();
  const given: Record<string, string> = { target: url, args: LOAD };
  const filled = (line: string): string =>
    line.replace(/\$\[\[ inputs\.([\w-]+) \]\]/g, (_, name: string) => given[name] ?? inputs[name]?.default ?? "");
  const api = await startCommentApi(TOKEN);
  const { folder, env, bin } = workspaceWithAssay();
  const variables = {
    ...env,
    ...Object.fromEntries(Object.entries(assay.variables).map(([name, text]) => [name, filled(text)])),
    GITLAB_CI: "true",
    CI_API_V4_URL: api.url,
    CI_PROJECT_ID: "5",
    CI_MERGE_REQUEST_IID: "8",
    CI_JOB_URL: "https://gitlab.example/job/1",
    CI_JOB_NAME: "assay",
    CI_DEFAULT_BRANCH: "main",
    GITLAB_TOKEN: TOKEN,
  };
  // A job without rules is in no pipeline of a merge request.
  expect(assay.rules).toContainEqual({ if: '$CI_PIPELINE_SOURCE == "merge_request_event"' });
  const steps = [...assay.before_script, ...assay.script].map(filled).join("\n");
  writeFileSync(join(bin, "curl"), `#!/bin/sh\necho "$@" > ${folder}/asked\nexit 22\n`, { mode: 0o755 });
  const first = { ...variables, BASELINE: "last", RESULTS: "first" };
  const without = await bash(steps, folder, first);
  expect([without.code, without.stdout]).toEqual([2, expect.stringContaining("there is no load to compare with")]);
  expect(readFileSync(join(folder, "asked"), "utf8")).toContain(
    `PRIVATE-TOKEN: ${TOKEN} --output .assay-baseline.zip ${api.url}/projects/5/jobs/artifacts/main/download?job=assay\n`,
  );
  const script = await bash(steps, folder, variables);
  expect(PASSED_OR_BUSY, script.stderr).toContain(script.code);
  expect(readdirSync(join(folder, "assay-results", "new-1"))).toContain("run.junit.xml");
  const after = await bash(assay.after_script.map(filled).join("\n"), folder, variables);
  expect(after.code, after.stderr).toBe(0);
  expect(api.requests).toEqual(["GET /projects/5/merge_requests/8/notes", "POST /projects/5/merge_requests/8/notes"]);
  expect(api.comments[0]?.body).toMatch(/### (✅ PASSED|⚪ CLIENT-LIMITED)/);
});

test("the Jenkinsfile runs its gate, whose results its build keeps", async () => {
  const text = read("ci/Jenkinsfile");
  const scripts = [...text.matchAll(/sh '''\n([\s\S]*?)'''/g)].map(([, script = ""]) => script);
  expect(
    text
      .replace(/'''[\s\S]*?'''|'[^']*'|"[^"]*"|\/\/.*$/gm, "")
      .match(/[{}]/g)
      ?.join(""),
  ).toMatch(/^(\{|\})+$/);
  const { url } = await mock();
  const { folder, env } = workspaceWithAssay();
  const script = scripts.join("\n").replace(/--rate 20 --duration 120s --slo \S+/, LOAD.replaceAll("'", ""));
  const ended = await bash(script, folder, { ...env, TARGET: url, BASELINE: "", RESULTS: "assay-results-7" });
  expect(PASSED_OR_BUSY, ended.stderr).toContain(ended.code);
  expect(readdirSync(join(folder, "assay-results-7", "new-1"))).toContain("run.junit.xml");
});
