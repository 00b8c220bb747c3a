import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { RequestMetricName } from "../../load/objectives/metrics.ts";
import { inDatabase } from "../../tests/support/results/summarize-shards.ts";
import { metricSql } from "./metric-sql.ts";

/** Content from 500 ms to 600 ms, by the columns of the table `requests`. */
const STREAM = {
  op: "'chat.stream'",
  ttft_us: "500000",
  ttlt_us: "600000",
  ttft_any_us: "NULL::BIGINT",
  ttlt_any_us: "NULL::BIGINT",
  chunks: "11",
  gaps_us: "list_transform(range(10), lambda x: 10000)",
  output_tokens: "11",
  reasoning_tokens: "NULL::BIGINT",
  token_source: "'usage'",
  flags: "NULL::VARCHAR[]",
};
type Columns = Partial<Record<keyof typeof STREAM, string>>;

const row = z.object({ value: z.number().nullable() });
const valueIn = (name: RequestMetricName, more: Columns): Promise<number | null | undefined> =>
  inDatabase(async (database) => {
    const columns = Object.entries({ ...STREAM, ...more }).map(([column, value]) => `${value} AS ${column}`);
    const sql = `SELECT CAST(${metricSql(name)} AS DOUBLE) AS value FROM (SELECT ${columns.join(", ")})`;
    return (await database.all(sql, row))[0]?.value;
  });
/** The time per output token of a stream whose gaps were recorded, and of one without them. */
const timeOf = (more: Columns) =>
  Promise.all([{ ...more }, { ...more, gaps_us: "NULL::BIGINT[]" }].map((each) => valueIn("tpot", each)));

describe("the time per output token", () => {
  test("is that of the content, over the tokens of the usage", async () => {
    expect(await timeOf({})).toEqual([10, 10]);
    expect(await timeOf({ output_tokens: "21" })).toEqual([5, 5]);
    expect(await timeOf({ token_source: "'chunks'" })).toEqual([10, 10]);
  });

  test("is that of reasoning and content together where both were streamed and are counted", async () => {
    const reasoned = { ttft_any_us: "100000", ttlt_any_us: "600000", output_tokens: "51" };
    expect(await timeOf({ ...reasoned, reasoning_tokens: "40" })).toEqual([10, 10]);
    expect(await timeOf(reasoned)).toEqual([10, 10]);
  });

  test("leaves out reasoning that usage counts and the stream did not show", async () => {
    expect(await timeOf({ output_tokens: "51", reasoning_tokens: "40" })).toEqual([10, 10]);
  });

  test("is that of the content where only its events were counted", async () => {
    const counted = { ttft_any_us: "100000", ttlt_any_us: "600000", token_source: "'chunks'" };
    expect(await timeOf(counted)).toEqual([10, 10]);
  });

  test("is not that of a stream whose content came at once", async () => {
    expect(await timeOf({ flags: "['buffered']" })).toEqual([null, null]);
    expect(await timeOf({ flags: "['large-first-event']" })).toEqual([null, null]);
  });

  test.each([
    { output_tokens: "1" },
    { output_tokens: "41", reasoning_tokens: "40" },
    { output_tokens: "NULL::BIGINT" },
  ])("is not defined for %j", async (more) => {
    expect(await timeOf(more)).toEqual([null, null]);
  });
});

test("tokens of a request are content where they are not reasoning", async () => {
  const content = (more: Columns) => valueIn("content_tokens", { output_tokens: "51", ...more });
  expect(await content({ reasoning_tokens: "40" })).toBe(11);
  expect(await content({ reasoning_tokens: "0" })).toBe(51);
  expect(await content({})).toBeNull();
});
