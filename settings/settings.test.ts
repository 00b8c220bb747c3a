import { describe, expect, test } from "vitest";
import { parseBaseUrl } from "./address.ts";
import { SETTINGS, settingsFor } from "./all-settings.ts";
import { headersFrom, parseHeaders } from "./headers.ts";
import { parseInstant } from "./instants.ts";
import { formatTags, parseTags } from "./label-table.ts";
import { formatArrivalProcess, parseArrivalProcess, readArrivalProcess } from "./load/arrival-process.ts";
import { LOAD_SETTINGS, objectivesOf } from "./load/load-table.ts";
import { parseMix } from "./load/mix.ts";
import { parseSegment } from "./load/segment.ts";
import { didYouMean } from "./nearest.ts";
import { OBSERVE_SETTINGS } from "./observe-table.ts";
import { readVariables, settingKey, settingVariable, writeVariables } from "./setting.ts";
import { parseFactor } from "./units.ts";

test("every default can be read", () => {
  expect(() => readVariables(SETTINGS, {})).not.toThrow();
});

test("objectives that are given add to the default ones, unless those are left out", () => {
  expect(objectivesOf({})).toEqual(["error_rate<1%", "ok>=1"]);
  expect(objectivesOf({ slo: ["ttft_p95<800ms", "ok>=1"] })).toEqual(["error_rate<1%", "ok>=1", "ttft_p95<800ms"]);
  expect(objectivesOf({ slo: ["ttft_p95<800ms"], noDefaultSlos: true })).toEqual(["ttft_p95<800ms"]);
});

test("flags, variables and keys of a setting have one name each", () => {
  expect(settingKey("maxInFlight")).toBe("max-in-flight");
  expect(settingVariable("maxInFlight")).toBe("ASSAY_MAX_IN_FLIGHT");
});

test("a value that cannot be read is blamed on its variable", () => {
  expect(() => readVariables(LOAD_SETTINGS, { ASSAY_RATE: "fast" })).toThrow(
    'Cannot read ASSAY_RATE: "fast" is not a rate above zero',
  );
});

test("an empty variable counts as absent", () => {
  const values = readVariables(LOAD_SETTINGS, { ASSAY_RATE: "", ASSAY_MAX_TOKENS: "" });
  expect(values).toMatchObject({ maxTokens: { kind: "fixed", value: 256 } });
  expect(values).not.toHaveProperty("rate");
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

  test.each(["", "host:80", "ftp://host", "http://"])("%j is refused", (text) =>
    expect(() => parseBaseUrl(text)).toThrow("is not an address"),
  );

  test.each(["http://user:secret@host", "http://host?key=secret", "http://host/v1#secret", "secret@host"])(
    "%j, where a key could be, is refused without being shown",
    (text) => {
      expect(() => parseBaseUrl(text)).toThrow("a user, a query or a fragment");
      expect(() => parseBaseUrl(text)).not.toThrow("secret");
    },
  );
});

test("an arrival process is constant, poisson, gamma with its coefficient of variation, or a trace with its file", () => {
  expect(parseArrivalProcess("gamma:2")).toEqual({ process: "gamma", cv: 2 });
  expect(parseArrivalProcess("trace:C:\\a, b.csv")).toEqual({ process: "trace", file: "C:\\a, b.csv" });
  expect(() => parseArrivalProcess("trace:")).toThrow("is not an arrival process");
  for (const text of ["constant", "poisson", "gamma:0.5", "trace:x.jsonl", "trace:a,b@2,unit=s,from=10m,to=20m"]) {
    expect(formatArrivalProcess(parseArrivalProcess(text))).toBe(text);
  }
  const options = { process: "trace", file: "x,y", speed: 2, to: 1_500 };
  expect(parseArrivalProcess("trace:x,y,to=1500ms,speed=2x")).toEqual(options);
  expect(readArrivalProcess(options)).toEqual(options);
  expect(() => parseArrivalProcess("trace:x,unit=m")).toThrow(
    'Cannot read the unit in "trace:x,unit=m": "m" is not one of',
  );
  expect(() => parseArrivalProcess("trace:x,speed=0x")).toThrow("at the speed 0");
  expect(() => parseArrivalProcess("trace:x,from=2s,to=1s")).toThrow("it ends (to) before it starts (from)");
  expect(() => parseArrivalProcess("gamma:0")).toThrow("is not an arrival process");
  expect(() => parseArrivalProcess("burst")).toThrow("is not an arrival process");
});

test("a mix names parts and weights", () => {
  expect(parseMix("chat=2,video=1")).toEqual([
    { part: "chat", weight: 2 },
    { part: "video", weight: 1 },
  ]);
  expect(() => parseMix("chat=0")).toThrow("is not a whole number of at least 1");
});

test("a header's value comes from the environment, never from the flag", () => {
  expect(parseHeaders("x-team=TEAM,x-b=B")).toEqual([
    { name: "x-team", variable: "TEAM" },
    { name: "x-b", variable: "B" },
  ]);
  for (const text of ["authorization=Bearer abc", "authorization: abc", "authorization=sk-abc"]) {
    expect(() => parseHeaders(text)).toThrow('header "authorization" is not given as NAME=ENVVAR');
    expect(() => parseHeaders(text)).not.toThrow("abc");
  }
});

test.each([
  ["Authorization", "holds the API key. Put the key into ASSAY_API_KEY"],
  ["host", "--resolve"],
  ["X-Request-Id", "--without-header x-request-id leaves it out"],
  ["content-type", "is that of the body, which is JSON. Leave it out"],
  ["transfer-encoding", "which the HTTP client decides. Leave it out"],
])("the header %s is refused, since k6 and Node would send another one each", (name, why) => {
  expect(() => parseHeaders(`x-a=A,${name}=SECRET`)).toThrow(why);
});

test("a header may have any other name", () => {
  for (const name of ["constructor", "traceparent", "user-agent", "accept", "x-authorization"])
    expect(parseHeaders(`${name}=A`)).toEqual([{ name, variable: "A" }]);
});

test("the white space around a header's value is not sent; one that cannot be sent is refused without being shown", () => {
  const sources = [{ name: "X-Team", variable: "TEAM" }];
  expect(headersFrom(sources, { TEAM: " secret\t\n" })).toEqual({ "x-team": "secret" });
  for (const text of ["sec\nret", "sec\u0000ret", "sec\u2026ret", "sec\u00e9ret"]) {
    expect(() => headersFrom(sources, { TEAM: text })).toThrow("another that no header may contain");
    expect(() => headersFrom(sources, { TEAM: text })).not.toThrow("ret.");
  }
});

test("the nearest name is proposed, and all of them when none is near", () => {
  const keys = Object.keys(SETTINGS).map(settingKey);
  expect(didYouMean("max-in-fligth", keys, "Known")).toBe('Did you mean "max-in-flight"?');
  expect(didYouMean("zebra-crossing", ["rate", "vus"], "Known")).toBe("Known: rate, vus.");
});

test("k6 is handed every setting of a load but those that the command line uses itself", () => {
  const own = ["apiKeyEnv", "waitFor", "repeat", "repeatPause", ...Object.keys(OBSERVE_SETTINGS)];
  const names = Object.keys(settingsFor("load")).filter((name) => !own.includes(name));
  expect(names).toEqual(Object.keys(LOAD_SETTINGS));
});

test("what is handed to k6 is read there as it was read here", () => {
  const given = {
    ASSAY_TARGET: "https://host",
    ASSAY_HEADER: "x-team=TEAM,x-b=B",
    ASSAY_INSECURE: "1",
    ASSAY_RATE: "0.001/h,10..50/s",
    ASSAY_ARRIVAL: "trace:a.csv@0.5",
    ASSAY_START_AT: "2026-11-21T18:00:00.25+02:00",
    ASSAY_DURATION: "1.5ms",
    ASSAY_MEMORY_LIMIT: "1.5GiB",
    ASSAY_BATCH_SIZES: "2,3",
    ASSAY_MIX: "chat=1,video=2",
    ASSAY_EXTRA_BODY: '{"stop": ["a, b"], "min_tokens": 5}',
    ASSAY_NO_USAGE: "1",
    ASSAY_SLO: "ttft_p95<1s, ok>=1",
  };
  const values = readVariables(LOAD_SETTINGS, given);
  const written = writeVariables(LOAD_SETTINGS, values);
  expect(readVariables(LOAD_SETTINGS, written)).toEqual(values);
  expect(Object.keys(written)).toEqual(expect.arrayContaining(Object.keys(given)));
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

test("tags are names with values, and are written as they are read", () => {
  expect(parseTags("branch=main, team = a b ,ci/run=12")).toEqual({ branch: "main", team: "a b", "ci/run": "12" });
  expect(parseTags(formatTags({ branch: "main", url: "http://a?b=c" }))).toEqual({
    branch: "main",
    url: "http://a?b=c",
  });
  for (const text of ["branch", "=main", "branch=", "1=2", "a=b,"])
    expect(() => parseTags(text)).toThrow("is not a tag");
});
