import { appendFileSync, mkdtempSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openTasks } from "../tasks/open-tasks.ts";
import { foreignEnvironment } from "./child-environment.ts";
import { linesOf, Tail, wholeLines } from "./file-lines.ts";
import { prepareFolder } from "./result-folder.ts";
import { prefixNotice, requireReachable } from "./target.ts";

const newFolder = (): string => mkdtempSync(join(tmpdir(), "assay-test-"));

describe("a journal of video tasks", () => {
  const line = (row: object): string => JSON.stringify(row);

  test("leaves open what was accepted and never seen to end", () => {
    const lines = [
      line({ event: "submitting", id: "1" }),
      line({ event: "accepted", id: "1", task: "a" }),
      line({ event: "submitting", id: "2" }),
      line({ event: "accepted", id: "2", task: "b" }),
      line({ event: "ended", task: "a", state: "completed" }),
    ];
    expect(openTasks(lines)).toEqual({ tasks: ["b"], unanswered: [] });
  });

  test("names submissions that may have made a task", () => {
    const lines = [
      line({ event: "submitting", id: "1" }),
      line({ event: "unknown", id: "1" }),
      line({ event: "submitting", id: "2" }),
      line({ event: "refused", id: "2" }),
      line({ event: "submitting", id: "3" }),
    ];
    expect(openTasks(lines)).toEqual({ tasks: [], unanswered: ["1", "3"] });
  });
});

test("processes do not inherit settings that were resolved already or would override the scenario", () => {
  const own = { K6_OTEL_SERVICE_NAME: "x", PATH: "/bin", ASSAY_K6: "/k6" };
  expect(foreignEnvironment({ ...own, K6_VUS: "9", ASSAY_RATE: "9", ASSAY_API_KEY: "k" })).toEqual(own);
});

test("a file is read line by line, and nothing but a line feed ends one", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "assay-")), "lines");
  const long = "é".repeat(1 << 20);
  const lines = ['{"detail":"a\u2028b\u2029c\u0085d"}', "", `x${long}`, long, "carriage\rreturn", "cut off"];
  writeFileSync(file, lines.join("\n"));
  const read: string[] = [];
  for await (const line of linesOf(file)) read.push(line);
  expect(read).toEqual(lines);
  writeFileSync(file, "whole\n");
  for await (const line of linesOf(file)) read.push(line);
  expect(read.slice(lines.length)).toEqual(["whole"]);
});

test("a tail gives whole lines only, each once", async () => {
  const file = join(newFolder(), "growing");
  const tail = new Tail(file);
  expect(await tail.next()).toEqual([]);
  writeFileSync(file, "one\ntw");
  expect(await tail.next()).toEqual(["one"]);
  appendFileSync(file, "o\nthree\n");
  expect(await tail.next()).toEqual(["two", "three"]);
  expect(await tail.next()).toEqual([]);
});

test("a last line that was cut off is left out", () => {
  const file = join(newFolder(), "cut");
  writeFileSync(file, '{"a":1}\n{"b"');
  expect(wholeLines(file)).toEqual(['{"a":1}']);
});

describe("a target", () => {
  test("that refuses connections is named with what to do", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    await requireReachable(`http://127.0.0.1:${port}`, {});
    await new Promise((resolve) => server.close(resolve));
    await expect(requireReachable(`http://127.0.0.1:${port}`, {})).rejects.toThrow(
      `Cannot reach http://127.0.0.1:${port}: the connection was refused; nothing listens there (127.0.0.1 port ${port}). Check the address and that the service is running.`,
    );
  });

  test("behind a proxy is not tried directly", async () => {
    await requireReachable("http://127.0.0.1:1", { HTTP_PROXY: "http://127.0.0.1:3128" });
  });

  test("that ends with the prefix is told so", () => {
    expect(prefixNotice("http://h/v1", "http://h")).toContain("using http://h");
    expect(prefixNotice("http://h", "http://h")).toBeUndefined();
  });
});

describe("a result folder", () => {
  test("loses an earlier run's files", () => {
    const folder = newFolder();
    writeFileSync(join(folder, "run.json"), "{}");
    expect(prepareFolder(folder, "load")).toBe(folder);
    expect(wholeLines(join(folder, "run.json"))).toEqual([]);
  });

  test("with files of somebody else's is refused and left alone", () => {
    const folder = newFolder();
    writeFileSync(join(folder, "thesis.doc"), "mine\n");
    expect(() => prepareFolder(folder, "load")).toThrow(
      "it contains files that do not belong to a run, such as thesis.doc",
    );
    expect(wholeLines(join(folder, "thesis.doc"))).toEqual(["mine"]);
  });

  test("that cannot be made is refused with the reason", () => {
    const file = join(newFolder(), "file");
    writeFileSync(file, "");
    expect(() => prepareFolder(join(file, "below"), "load")).toThrow("Name a writable folder with --out");
  });
});
