import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FILES } from "../../formats/file-names.ts";
import type { TaskEvent } from "../../formats/tasks.ts";
import { leftIn, newFolder } from "../../tests/support/commands/assay-process.ts";
import { serveInTest } from "../../tests/support/targets/serve-in-test.ts";
import { cancelLeftovers } from "./cancel-leftovers.ts";

/** A result folder with a journal of open tasks. */
function folderWith(...tasks: readonly string[]): string {
  const folder = newFolder();
  const lines = tasks.map((task, index): TaskEvent => ({ event: "accepted", id: `${index}`, task }));
  writeFileSync(join(folder, FILES.tasks), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return folder;
}

/** Cancels that are sent at once. */
const AT_ONCE = 16;

test("many tasks are cancelled at the same time, without a warning of Node's about that", async () => {
  const waiting: ServerResponse[] = [];
  const server = createServer((_, response) => {
    waiting.push(response);
    // None is answered before as many are under way as may be.
    if (waiting.length >= AT_ONCE) for (const each of waiting.splice(0)) each.end("{}");
  });
  const warnings: string[] = [];
  const warn = ({ message }: Error) => void warnings.push(message);
  process.on("warning", warn);
  try {
    const target = await serveInTest(server);
    const tasks = Array.from({ length: 3 * AT_ONCE }, (_, index) => `t-${index}`);
    const options = { folder: folderWith(...tasks), connections: [{ target }], withinMs: 30_000 };
    expect((await cancelLeftovers(options)).ended).toEqual(tasks);
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toEqual([]);
  } finally {
    process.off("warning", warn);
  }
});

test("a response to a cancel that is no JSON confirms nothing: the task is named", async () => {
  const target = await serveInTest((_, response) => void response.end("x".repeat(100)));
  const options = { folder: folderWith("t-1"), connections: [{ target }], withinMs: 30_000 };
  const { ended, warnings } = await cancelLeftovers(options);
  expect(ended).toEqual([]);
  expect(warnings.join()).toContain("Video task t-1 could not be cancelled");
});

test("submissions whose tasks are unknown are named by the status of the response, or as those without a complete response", async () => {
  const folder = newFolder();
  const lines: TaskEvent[] = [
    { event: "submitting", id: "r-1" },
    { event: "unknown", id: "r-1", status: 504 },
    { event: "submitting", id: "r-2" },
    { event: "unknown", id: "r-2" },
    { event: "submitting", id: "r-3" },
  ];
  writeFileSync(join(folder, FILES.tasks), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const { warnings } = await cancelLeftovers({ folder, connections: [], withinMs: 1_000 });
  expect(warnings).toEqual([
    "A video task may have been created by request r-1, whose response (status 504) names none. Look for it at the service.",
    "Video tasks may have been created by requests r-2, r-3, which got no complete response. Look for them at the service.",
  ]);
});

test("an id that holds a secret, or is another address, is named and never sent; the others are", async () => {
  const paths: (string | undefined)[] = [];
  const server = createServer(({ url }, response) => {
    paths.push(url);
    response.end("{}");
  });
  const target = await serveInTest(server);
  const folder = folderWith("t-<redacted>", "..", "\ud800", "t-1", "a/../b", "t-a-secret-key-2");
  const connections = [{ target, apiKey: "a-secret-key" }];
  const { ended, warnings } = await cancelLeftovers({ folder, connections, withinMs: 30_000 });
  expect(ended).toEqual(["t-1", "a/../b"]);
  expect(paths.toSorted()).toEqual(["/v1/videos/generations/a%2F..%2Fb/cancel", "/v1/videos/generations/t-1/cancel"]);
  for (const shown of ["t-<redacted>", "..", "t-<redacted>-2"])
    expect(leftIn(warnings.join("\n")).tasks).toContain(shown);
  expect(warnings).toEqual([expect.stringContaining(" is not sent. Look for them at the service.")]);
  expect(warnings.join()).not.toContain("a-secret-key");
});

test.each([
  [
    { total_cost: 0.25 },
    "2 video tasks had completed before a cancel came. They cost 0.500, in the unit of the target,",
  ],
  [{ total_cost: "much" }, "before a cancel came. The target does not tell their cost."],
])("tasks that had completed before a cancel came are said with their cost: %j", async (usage, sentence) => {
  const server = createServer(({ method }, response) =>
    method === "POST"
      ? void response.writeHead(409).end("{}")
      : void response.end(JSON.stringify({ status: "completed", usage })),
  );
  const folder = newFolder();
  const known = ["t-1", "t-2"];
  const connections = [{ target: await serveInTest(server) }];
  const cleanUp = await cancelLeftovers({ folder, connections, withinMs: 30_000, known });
  expect(cleanUp).toMatchObject({ ended: known, warnings: [], completed: expect.stringContaining(sentence) });
  expect(readFileSync(join(folder, FILES.tasks), "utf8")).toContain('"task":"t-2","state":"completed"');
});

test("a journal that is a link is not appended to", async () => {
  const target = await serveInTest((_, response) => void response.end("{}"));
  const [folder, outside] = [newFolder(), join(folderWith("t-1"), FILES.tasks)];
  const before = readFileSync(outside, "utf8");
  symlinkSync(outside, join(folder, FILES.tasks));
  await cancelLeftovers({ folder, connections: [{ target }], withinMs: 30_000 });
  expect(readFileSync(outside, "utf8")).toBe(before);
});

test("the command that cancels what is left names the target", async () => {
  const target = await serveInTest((_, response) => void response.writeHead(404).end("{}"));
  const folder = folderWith("t-1", "t-2");
  const { warnings } = await cancelLeftovers({ folder, connections: [{ target }], withinMs: 30_000 });
  expect(warnings).toEqual([
    `Video tasks t-1, t-2 could not be cancelled and may still run. To cancel: assay clean-up ${folder} --target ${target}`,
  ]);
});
