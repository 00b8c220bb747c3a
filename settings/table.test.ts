import { describe, expect, test } from "vitest";
import { nearest } from "./nearest.ts";
import {
  formatArrival,
  parseArrival,
  parseBaseUrl,
  parseFactor,
  parseHeaders,
  parseInstant,
  parseMix,
  parseSegment,
} from "./parse.ts";
import { readSettings, SETTINGS, type SettingName, settingKey, settingVariable } from "./table.ts";

const names = Object.keys(SETTINGS) as SettingName[];

test("every default can be read", () => {
  expect(() => readSettings(names, {})).not.toThrow();
});

test("flags, variables and keys of a setting have one name each", () => {
  expect(settingKey("maxInFlight")).toBe("max-in-flight");
  expect(settingVariable("maxInFlight")).toBe("ASSAY_MAX_IN_FLIGHT");
});

test("a value that cannot be read is blamed on its variable", () => {
  expect(() => readSettings(["rate"], { ASSAY_RATE: "fast" })).toThrow(
    'Cannot read ASSAY_RATE: "fast" is not a rate above zero',
  );
});

test("an empty variable counts as absent", () => {
  expect(readSettings(["rate", "maxTokens"], { ASSAY_RATE: "", ASSAY_MAX_TOKENS: "" })).toEqual({ maxTokens: 256 });
});

describe("the base address", () => {
  test.each([
    ["http://127.0.0.1:8080", "http://127.0.0.1:8080"],
    ["http://127.0.0.1:8080/", "http://127.0.0.1:8080"],
    ["https://host/v1", "https://host"],
    ["https://host/v1/", "https://host"],
    ["https://host/gateway/v1", "https://host/gateway"],
    ["https://host/gateway", "https://host/gateway"],
    ["http://[::1]:80", "http://[::1]:80"],
  ])("%s becomes %s", (text, url) => expect(parseBaseUrl(text)).toBe(url));

  test.each(["", "host:80", "ftp://host", "http://user:secret@host", "http://host?x=1", "http://"])(
    "%j is refused",
    (text) => expect(() => parseBaseUrl(text)).toThrow("is not an address"),
  );
});

test("an arrival process is constant, poisson, gamma with its coefficient of variation, or a trace with its file", () => {
  expect(parseArrival("gamma:2")).toEqual({ process: "gamma", cv: 2 });
  expect(parseArrival("trace:C:\\a, b.csv")).toEqual({ process: "trace", file: "C:\\a, b.csv" });
  expect(() => parseArrival("trace:")).toThrow("is not an arrival process");
  for (const text of ["constant", "poisson", "gamma:0.5", "trace:x.jsonl"]) {
    expect(formatArrival(parseArrival(text))).toBe(text);
  }
  expect(() => parseArrival("gamma:0")).toThrow("is not an arrival process");
  expect(() => parseArrival("burst")).toThrow("is not an arrival process");
});

test("a mix names parts and weights", () => {
  expect(parseMix("chat=2,video=1")).toEqual([
    { part: "chat", weight: 2 },
    { part: "video", weight: 1 },
  ]);
  expect(() => parseMix("chats=2")).toThrow('"chats" is not one of');
});

test("a header's value comes from the environment, never from the flag", () => {
  expect(parseHeaders("x-team=TEAM,x-b=B")).toEqual([
    { name: "x-team", variable: "TEAM" },
    { name: "x-b", variable: "B" },
  ]);
  expect(() => parseHeaders("authorization=Bearer abc")).toThrow("is not NAME=ENVVAR");
});

test("the nearest name is proposed, and none when nothing is near", () => {
  expect(nearest("max-in-fligth", names.map(settingKey))).toBe("max-in-flight");
  expect(nearest("zebra-crossing", names.map(settingKey))).toBeUndefined();
});

test("a factor is a number above zero", () => {
  expect(parseFactor("0.5")).toBe(0.5);
  for (const text of ["0", "-1", "2x", ""]) expect(() => parseFactor(text)).toThrow("is not a number above zero");
});

test("a segment is one of several parts, numbered from 1", () => {
  expect(parseSegment("2/4")).toEqual({ part: 2, of: 4 });
  for (const text of ["0/4", "5/4", "2", "2/4/8", "1/0", "-1/4", ""]) {
    expect(() => parseSegment(text)).toThrow("is not a part of a run; write the second of four as 2/4");
  }
});

test("an instant has a zone", () => {
  expect(parseInstant("2026-11-21T18:00:00Z")).toBe(Date.UTC(2026, 10, 21, 18));
  expect(parseInstant("2026-11-21T18:00:00.25+02:00")).toBe(Date.UTC(2026, 10, 21, 16, 0, 0, 250));
  for (const text of ["2026-11-21T18:00:00", "18:00Z", "+10s", "2026-13-21T18:00:00Z", "now"]) {
    expect(() => parseInstant(text)).toThrow("is not an instant with its zone");
  }
});
