/** Tables of prompts, CSV and Parquet: what is read of their columns, and what is refused. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, test } from "vitest";
import { newFile, newFolder } from "../../tests/support/commands/assay-process.ts";
import { checkPrompts } from "./check-prompts.ts";
import { tableIn } from "./prompt-tables.ts";

const fileOf = (text: string | Uint8Array, name = "data.csv"): string => newFile(name, text);

const sentOf = (path: string): readonly unknown[] =>
  readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

const user = (content: string) => ({ role: "user", content });
const SAID = JSON.stringify([user("hi, you")]).replaceAll('"', '""');

describe("a CSV file is read by its columns", () => {
  test.each<
    [what: string, name: string, text: string, layout: string, first: unknown, count: number, unused: string[]]
  >([
    [
      "with texts in quotes",
      "a.csv",
      'act,prompt\nx,"a ""b"", c\nd"\ny,e\n',
      "prompt",
      { prompt: 'a "b", c\nd' },
      2,
      ["act"],
    ],
    [
      "with semicolons and an index",
      "a.txt",
      "\uFEFF;Prompt\r\n1;a, b\r\n",
      "prompt",
      { prompt: "a, b" },
      1,
      ["column1"],
    ],
    ["Alpaca", "a.csv", "instruction,input,output\nSay,a,b\n", "Alpaca", { prompt: "Say\n\na" }, 1, ["output"]],
    ["a conversation", "a.csv", `messages\n"${SAID}"\n`, "messages", { messages: [user("hi, you")] }, 1, []],
    ["a question", "a.csv", "question,answer\nWhy?,x\n", "question", { prompt: "Why?" }, 1, ["answer"]],
  ])("%s", (_, name, text, layout, first, count, unused) => {
    const file = fileOf(text, name);
    const read = checkPrompts(file);
    expect(read).toMatchObject({ layout: `CSV, ${layout}`, first, count, unused, bytes: Buffer.byteLength(text) });
    const sent = sentOf(read.path);
    expect([read.path === file, sent.length]).toEqual([false, count]);
  });

  test.each([
    ["a.txt", "id,prompt", ["id", "prompt"]],
    ["a.txt", "Text|Label", ["Text", "Label"]],
    ["a.txt", "TIMESTAMP,ContextTokens", ["TIMESTAMP", "ContextTokens"]],
    ["a.csv", "one", ["one"]],
    ["a.TSV", 'a\t"b, ""c"""\ta\t', ["a", 'b, "c"', "column3", "column4"]],
    ["a.txt", "prompt", undefined],
    ["a.txt", "O prompt, arise, and see", undefined],
    ["a.txt", "id,prompt: what?", undefined],
    ["a.csv", '{"prompt":"a"}', undefined],
    ["a.csv", ' [{"prompt":"a"}]', undefined],
  ])("%s with the header %s", (name, header, columns) => {
    expect(tableIn(Buffer.from(`${header}\nx`), name)?.csv?.columns).toEqual(columns);
  });

  test("rows that cannot be used are said with their lines, and more than 1 % stop the load", () => {
    const rows = (bad: readonly string[]) =>
      ["id,prompt", ...Array.from({ length: 300 }, (_, at) => `${at},p`), ...bad, ""].join("\n");
    expect(checkPrompts(fileOf(rows(["1,a,b", "2"])))).toMatchObject({
      ...{ count: 300, unusable: 2 },
      reasons: ["line 302 has 3 cells, and the header 2", "line 303 has 1 cell, and the header 2"],
    });
    expect(checkPrompts(fileOf(rows(["7,"]))).reasons).toEqual([expect.stringMatching(/^row 301 has none of/)]);
    expect(() => checkPrompts(fileOf(rows(["1,2,3", "1,2,3", "1,2,3", "1,2,3"])))).toThrow(
      "line 302 has 3 cells, and the header 2, and 3 more of 304 entries cannot be used",
    );
    expect(() => checkPrompts(fileOf(rows(['1,"a', "2,b"])))).toThrow(
      "line 302 has a quotation mark that is not closed",
    );
  });

  test.each([
    ["prompt\nHello, world\nfine\n", "line 2 has 2 cells, and the header 1"],
    ["TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03,4,5\n", "replay it with --arrival trace:FILE"],
    [
      "article,label\na,b\n",
      "row 1 has none of messages, prompt, input, conversations, instruction. Its columns are article, label",
    ],
    [Buffer.from([...Buffer.from("id,prompt\n1,"), 0xe9, 0x0a]), "line 2 is not text in UTF-8"],
    ["prompt\n", "it contains no prompt"],
  ])("%j is refused", (text, reason) => {
    expect(() => checkPrompts(fileOf(text))).toThrow(reason);
  });
});

describe("a Parquet file is read by its columns", () => {
  const parquetOf = async (select: string): Promise<string> => {
    const file = join(newFolder(), "it's [a] data set");
    const instance = await DuckDBInstance.create(":memory:");
    const connection = await instance.connect();
    await connection.run(`COPY (${select}) TO '${file.replaceAll("'", "''")}' (FORMAT parquet)`);
    connection.closeSync();
    instance.closeSync();
    return file;
  };

  test("whatever its name, and images are left out", async () => {
    const file = await parquetOf(
      "SELECT 7 AS id, [{'role': 'user', 'content': 'a' || n}, {'role': 'assistant', 'content': 'b'}] AS messages, 'x'::BLOB AS image, NULL::VARCHAR AS prompt FROM range(3) t(n)",
    );
    const read = checkPrompts(file);
    expect(read).toMatchObject({
      ...{ layout: "Parquet, messages", count: 3, first: { messages: [user("a0"), { role: "assistant" }] } },
      unused: ["id", "image"],
    });
    expect(sentOf(read.path)[2]).toMatchObject({ messages: [user("a2"), { role: "assistant" }] });
  });

  test("or said to be none", async () => {
    expect(() => checkPrompts(fileOf("PAR1 and no more", "a.parquet"))).toThrow(
      "it is no Parquet file that can be read",
    );
    const file = await parquetOf("SELECT 'a' AS article");
    expect(() => checkPrompts(file)).toThrow("Its columns are article");
  });
});

test.each([
  ["PK\u0003\u0004xl/", "it is a zip archive, or a workbook of Excel"],
  ["version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "it is a pointer of Git LFS, not the file itself"],
  ["<!DOCTYPE html>\n<html>", "it is a page of HTML"],
  ["ARROW1\u0000\u0000", "it is an Arrow file"],
])("%j is no lines of text", (text, reason) => {
  expect(() => checkPrompts(fileOf(text, "a.txt"))).toThrow(reason);
});
