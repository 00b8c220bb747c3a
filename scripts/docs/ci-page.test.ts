/** docs/ci.md has the files for CI systems as they are, and the inputs of the action. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { actionFile } from "../../tests/support/pages/github-runner.ts";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const page = read("docs/ci.md");

test.each([
  ["ci/github-workflow.yml", "yaml"],
  ["ci/gitlab-component.yml", "yaml"],
  ["ci/Jenkinsfile", "groovy"],
])("%s is copied", (file, language) => {
  expect(page).toContain(`\`\`\`${language}\n${read(file)}\`\`\`\n`);
});

test("the page names every input and output of the action", () => {
  const { inputs, outputs } = actionFile.parse(parse(read("action.yml")));
  for (const name of [...Object.keys(inputs), ...Object.keys(outputs)]) expect(page).toContain(`\`${name}\``);
});

test("the workflow gives the action inputs that it has, and the right to comment to the job that comments alone", () => {
  const { inputs } = actionFile.parse(parse(read("action.yml")));
  const workflow = parse(read("ci/github-workflow.yml"));
  expect(workflow.permissions).toEqual({ contents: "read" });
  expect(workflow.jobs.load.permissions).toBeUndefined();
  expect(workflow.jobs.comment.permissions).toEqual({ contents: "read", "pull-requests": "write" });
  for (const job of [workflow.jobs.load, workflow.jobs.comment]) {
    expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(job.steps.at(-1).with)));
  }
});
