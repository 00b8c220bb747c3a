import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { FILES } from "../../formats/file-names.ts";
import type { RequestRecord } from "../../formats/records.ts";
import { nearestRank } from "../../reports/load/stats/quantiles.ts";
import { queryCsv, queryObjects, queryTable } from "../../reports/tables/query-result.ts";
import { TABLES } from "../../reports/tables/run-tables.ts";
import { readInstant } from "../../settings/instants.ts";
import { newFolder } from "../../tests/support/commands/assay-process.ts";
import { instant, makeRun, type RunOptions } from "../../tests/support/results/load-run.ts";
import { RunDatabase } from "./run-database.ts";

interface Files {
  readonly records: readonly string[];
  readonly more?: Readonly<Record<string, readonly unknown[]>>;
}

/** A result folder with these files. */
function folderOf({ records, more = {} }: Files, folder = newFolder()): string {
  writeFileSync(join(folder, FILES.records), `${records.join("\n")}\n`);
  for (const [name, lines] of Object.entries(more)) {
    writeFileSync(join(folder, name), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  }
  return folder;
}

const opened: RunDatabase[] = [];
afterEach(() => {
  for (const database of opened.splice(0)) database.close();
});

async function database(...folders: readonly string[]): Promise<RunDatabase> {
  const made = await RunDatabase.of(folders);
  opened.push(made);
  await made.lock();
  return made;
}

async function rowsOf(from: RunDatabase, sql: string): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  for await (const part of from.rows(sql)) rows.push(...queryObjects(part));
  return rows;
}

const RUN: RunOptions = { rate: 10, warmupS: 1, durationS: 3 };

describe("the tables of a load", () => {
  test("have every request as its record says, times in microseconds", async () => {
    const { records } = makeRun(RUN);
    const tables = await database(folderOf({ records }));
    const rows = await rowsOf(tables, "FROM requests ORDER BY line");
    const expected = records.slice(1).map((line, index) => {
      const record: RequestRecord = JSON.parse(line);
      return {
        line: index + 2,
        id: record.id,
        op: record.op,
        phase: record.phase,
        outcome: record.outcome,
        sent_us: Math.round(readInstant(record.sent) * 1_000),
        ttft_us: Math.round((record.ttft ?? 0) * 1_000),
        lag_us: Math.round((record.lag ?? 0) * 1_000),
        chunks: record.chunks,
        input_tokens: record.input_tokens,
        reused: record.reused,
      };
    });
    expect(rows).toMatchObject(expected);
    expect(rows).toHaveLength(40);
  });

  test("have each gap with the instant at which it ended", async () => {
    const { records } = makeRun(RUN);
    const tables = await database(folderOf({ records }));
    const first: RequestRecord = JSON.parse(records[1] ?? "");
    const [sent, ttft] = [readInstant(first.sent) * 1_000, (first.ttft ?? 0) * 1_000];
    const gaps = first.gaps_us ?? [];
    const until = (end: number): number => gaps.slice(0, end).reduce((sum, gap) => sum + gap, Math.round(sent + ttft));
    expect(await rowsOf(tables, "SELECT number, gap_us, at_us FROM gaps WHERE line = 2 ORDER BY number")).toEqual(
      gaps.map((gap, index) => ({ number: index + 1, gap_us: gap, at_us: until(index + 1) })),
    );
  });

  test("have arrivals, counted gaps, video tasks, the load generator, target metrics and canary prompts", async () => {
    const { records, client } = makeRun({ ...RUN, change: (record, index) => (index < 1 ? record : undefined) });
    const call = { ...JSON.parse(records[1] ?? ""), arrival: 7, task: "t-1" };
    const at = instant(1_000);
    const lines = [
      { ...call, id: "s", op: "video.submit", task_state: "queued" },
      { ...call, id: "p1", op: "video.poll", task_state: "processing", sent: at },
      { ...call, id: "p2", op: "video.poll", task_state: "completed", cost: 0.25, sent: instant(2_000), e2e: 4.5 },
      { arrival: { index: 9, phase: "measure", scheduled: at, end: "not_started" } },
      { gaps: { op: "chat.stream", phase: "measure", error: 0.0005, us: [10, 20], n: [3, 4] } },
    ];
    const folder = folderOf({
      records: [records[0] ?? "", ...lines.map((line) => JSON.stringify(line))],
      more: {
        [FILES.client]: client.map((line) => JSON.parse(line)),
        [FILES.scrapes]: [
          { schema: "assay.scrapes/1", intervalMs: 1_000, sources: [] },
          { at, source: "a", tookMs: 2, values: { 'running{model="x"}': 3, queue: 0 } },
          { at, source: "a", tookMs: 2, error: "refused" },
        ],
        [FILES.canary]: [
          { schema: "assay.canary/1", prompts: 1 },
          { at, prompt: 1, alone: true, text: "yes" },
        ],
      },
    });
    const tables = await database(folder);
    expect(await rowsOf(tables, "FROM tasks")).toEqual([
      {
        shard: 1,
        task: "t-1",
        arrival: 7,
        submitted_us: Math.round(readInstant(call.sent) * 1_000),
        polls: 2,
        state: "completed",
        ended_us: readInstant(instant(2_000)) * 1_000 + 4_500,
        cost: 0.25,
      },
    ]);
    expect(await rowsOf(tables, 'SELECT arrival, "end", scheduled_us FROM arrivals')).toEqual([
      { arrival: 9, end: "not_started", scheduled_us: readInstant(at) * 1_000 },
    ]);
    expect(await rowsOf(tables, "SELECT op, gap_us, count FROM counted_gaps")).toEqual([
      { op: "chat.stream", gap_us: 10, count: 3 },
      { op: "chat.stream", gap_us: 20, count: 4 },
    ]);
    expect(await rowsOf(tables, "SELECT count(*) AS lines, max(t_us) AS last FROM client")).toEqual([
      { lines: 4, last: 4_000_000 },
    ]);
    expect(await rowsOf(tables, "SELECT series, value, error FROM scrapes ORDER BY error, series")).toEqual([
      { series: null, value: null, error: "refused" },
      { series: "queue", value: 0, error: null },
      { series: 'running{model="x"}', value: 3, error: null },
    ]);
    expect(await rowsOf(tables, "SELECT prompt, alone, text FROM canary")).toEqual([
      { prompt: 1, alone: true, text: "yes" },
    ]);
  });

  test("describe each of their columns", async () => {
    const tables = await database(folderOf({ records: makeRun(RUN).records }));
    for (const { name, columns } of TABLES) {
      const described = await rowsOf(tables, `DESCRIBE "${name}"`);
      expect(
        described.map((row) => [row["column_name"], row["column_type"]]),
        name,
      ).toEqual(columns.map((column) => [column.name, column.type]));
      for (const { meaning } of columns) expect(meaning).not.toBe("");
    }
  });

  test("of several folders are told apart by their number", async () => {
    const folders = [folderOf(makeRun(RUN)), folderOf(makeRun({ ...RUN, durationS: 1 }))];
    expect(
      await rowsOf(
        await database(...folders),
        "SELECT shard, count(*) AS n FROM requests GROUP BY shard ORDER BY shard",
      ),
    ).toEqual([
      { shard: 1, n: 40 },
      { shard: 2, n: 20 },
    ]);
  });

  test("quantile_disc is the nearest rank of the reports", async () => {
    const tables = await database(folderOf({ records: makeRun(RUN).records }));
    for (const count of [1, 2, 19, 20, 21, 100, 200, 1_000]) {
      for (const perMille of [500, 900, 950, 990, 999]) {
        const [row] = await rowsOf(
          tables,
          `SELECT quantile_disc(i, ${perMille / 1_000}) AS rank FROM range(1, ${count + 1}) t(i)`,
        );
        expect([count, perMille, row?.["rank"]]).toEqual([count, perMille, nearestRank(count, perMille)]);
      }
    }
  });
});

describe("a member that few records have is read", () => {
  const { records } = makeRun(RUN);
  const [header = "", first = ""] = records;
  const numbered = (count: number): string[] =>
    Array.from({ length: count }, (_, number) => first.replace(/"id":"[^"]*"/, `"id":"r-${number}"`));
  const withTurn = (line = ""): string => line.replace('"op":', '"turn":2,"op":');

  test("wherever in a large file it is", async () => {
    const many = numbered(Math.ceil(4e6 / first.length));
    const at = Math.floor(many.length / 4);
    const lines = [header, ...many.with(at, withTurn(many[at]))];
    const tables = await database(folderOf({ records: lines }));
    expect(await rowsOf(tables, "SELECT count(*) AS n, count(turn) AS turns FROM requests")).toEqual([
      { n: many.length, turns: 1 },
    ]);
    expect(await rowsOf(tables, "SELECT line FROM requests WHERE turn = 2")).toEqual([{ line: at + 2 }]);
  });

  test("also where an earlier folder has none", async () => {
    const folders = [numbered(3), numbered(2).map(withTurn)].map((lines) => folderOf({ records: [header, ...lines] }));
    expect(
      await rowsOf(
        await database(...folders),
        "SELECT shard, count(*) AS n, count(turn) AS turns FROM requests GROUP BY shard ORDER BY shard",
      ),
    ).toEqual([
      { shard: 1, n: 3, turns: 0 },
      { shard: 2, n: 2, turns: 2 },
    ]);
  });
});

test("a line that does not fit is left out, and the others are read", async () => {
  const { records } = makeRun(RUN);
  const damaged = [
    ...records.slice(0, 5),
    "{half",
    records[5]?.replace('"ttft":', '"ttft":"x","was":') ?? "",
    ...records.slice(6),
  ];
  const rows = await rowsOf(await database(folderOf({ records: damaged })), "SELECT count(ttft_us) AS n FROM requests");
  expect(rows).toEqual([{ n: 39 }]);
});

test("a value that fits its type and no column is left out, also in the line of an arrival", async () => {
  const { records } = makeRun(RUN);
  const lines = [
    ...records.slice(0, 2),
    records[2]?.replace(/"ttft":[\d.]+/, '"ttft":1e300') ?? "",
    '{"arrival":{"index":9,"phase":"measure","scheduled":"soon","end":"threw"}}',
  ];
  const tables = await database(folderOf({ records: lines }));
  expect(await rowsOf(tables, "SELECT count(*) AS n, count(ttft_us) AS timed FROM requests")).toEqual([
    { n: 2, timed: 1 },
  ]);
  expect(await rowsOf(tables, "SELECT arrival, scheduled_us FROM arrivals")).toEqual([
    { arrival: 9, scheduled_us: null },
  ]);
});

test("a folder is read whose name is a pattern, and one that the pattern fits is not", async () => {
  const parent = newFolder();
  for (const name of ["a[b]*?", "ab1x"]) mkdirSync(join(parent, name));
  const folder = folderOf(makeRun(RUN), join(parent, "a[b]*?"));
  folderOf(makeRun(RUN), join(parent, "ab1x"));
  expect(await rowsOf(await database(folder), "SELECT count(*) AS n FROM requests")).toEqual([{ n: 40 }]);
});

test("changes of tables on disk are not logged: nothing of them is to be restored", async () => {
  const folder = folderOf(makeRun(RUN));
  const onDisk = await RunDatabase.empty([folder], { onDisk: true });
  opened.push(onDisk);
  expect(await onDisk.addRecords(1, join(folder, FILES.records))).toBe(true);
  const scratch = readdirSync(folder).filter((name) => name.startsWith(".tables-"));
  expect(scratch.flatMap((name) => readdirSync(join(folder, name)))).toEqual(["tables"]);
});

test("what a process left that was killed is removed", async () => {
  const folder = folderOf(makeRun(RUN));
  const [left, ours] = [join(folder, ".tables-999999999-0a"), join(folder, `.tables-${process.pid}-0a`)];
  for (const each of [left, ours]) mkdirSync(each);
  await database(folder);
  expect([left, ours].map((each) => existsSync(each))).toEqual([false, true]);
});

describe("a query", () => {
  const FILE = new URL(import.meta.url).pathname;

  test.each([
    `SELECT * FROM read_text('${FILE}')`,
    `SELECT * FROM read_csv('${FILE}')`,
    `SELECT * FROM read_json_auto('${FILE}')`,
    `SELECT * FROM read_parquet('${FILE}')`,
    `SELECT * FROM read_blob('${FILE}')`,
    `SELECT * FROM sniff_csv('${FILE}')`,
    `FROM '${FILE}'`,
    "SELECT * FROM glob('/*')",
    "SELECT getenv('HOME')",
    "SELECT * FROM duckdb_secrets()",
    "SELECT * FROM 'https://127.0.0.1:1/x.parquet'",
    `COPY requests TO '${FILE}.out'`,
    `COPY requests FROM '${FILE}'`,
    `EXPORT DATABASE '${FILE}.d'`,
    `IMPORT DATABASE '${FILE}.d'`,
    `ATTACH '${FILE}.db'`,
    "INSTALL httpfs",
    "LOAD httpfs",
    "PRAGMA enable_external_access = true",
    "SET enable_external_access = true",
    "RESET enable_external_access",
    "SET memory_limit = '100GB'",
    "DELETE FROM requests",
    "DROP TABLE requests",
    "CREATE TABLE other AS FROM requests",
    "SELECT 1; DELETE FROM requests",
    "SELECT 1) TO 'x' --",
    "",
  ])("reaches the tables and nothing else: %s", async (sql) => {
    const tables = await database(folderOf(makeRun(RUN)));
    await expect(rowsOf(tables, sql)).rejects.toThrow(/^Cannot run the query/);
    expect(await rowsOf(tables, "SELECT count(*) AS n FROM requests")).toEqual([{ n: 40 }]);
  });

  test("that fails while its result is written is what is wrong, and a file of another is kept", async () => {
    const folder = folderOf(makeRun(RUN));
    const file = join(folder, "x.parquet");
    writeFileSync(`${file}.tmp`, "of another");
    const tables = await RunDatabase.of([folder]);
    opened.push(tables);
    await tables.lock(file);
    await expect(tables.writeParquet("SELECT id::INT FROM requests", file)).rejects.toThrow(
      /^Cannot run the query: Conversion Error[\s\S]*assay sql --tables lists/,
    );
    expect(existsSync(file)).toBe(false);
    expect(readFileSync(`${file}.tmp`, "utf8")).toBe("of another");
  });

  test("writes the one file that was named", async () => {
    const folder = folderOf(makeRun(RUN));
    const [file, other] = [join(folder, "x.parquet"), join(folder, "y.parquet")];
    const tables = await RunDatabase.of([folder]);
    opened.push(tables);
    await tables.lock(file);
    await tables.writeParquet("FROM requests -- all", file);
    await expect(tables.writeParquet("FROM requests", other)).rejects.toThrow(
      `Cannot write ${other}: Permission Error`,
    );
  });
});

test("values in the forms in which they are printed", () => {
  const result = {
    names: ["n", "what"],
    rows: [
      [1_000, "=x,\u001b[31m"],
      [2, null],
      [3, ["a"]],
    ],
  };
  expect(queryTable(result)).toBe('   n  what\n1000  =x,\ufffd[31m\n   2\n   3  ["a"]\n');
  expect(queryCsv(result, true)).toBe('n,what\n1000,"\'=x,\u001b[31m"\n2,\n3,"[""a""]"\n');
  expect(queryCsv({ ...result, rows: [[2, 1]] }, false)).toBe("2,1\n");
});
