import { describe, expect, it } from "vitest";
import { readLoadSettings } from "../../tests/support/load-settings.ts";
import { defaultRate } from "../scenario-list.ts";
import { optionsOf, runOptionsOf, scheduleOf } from "./run-options.ts";

const settings = (more: Readonly<Record<string, string>> = {}) =>
  readLoadSettings({ ASSAY_TARGET: "http://host", ASSAY_DURATION: "30s", ...more });
const executorOf = (more: Readonly<Record<string, string>>) => optionsOf("chat", settings(more)).scenarios?.["chat"];

describe("the arrivals of a load", () => {
  it("are an open loop at the scenario's own rate when nothing is said", () => {
    expect(scheduleOf("video", settings())).toEqual({
      process: "constant",
      rates: [{ from: 0.2, to: 0.2 }],
      warmupMs: 5_000,
      durationMs: 30_000,
      seed: 1,
    });
    expect([defaultRate("chat"), defaultRate("my-own"), defaultRate("constructor")]).toEqual([5, 1, 1]);
  });

  it("follow rate, process, bound and seed", () => {
    const more = { ASSAY_RATE: "600/m", ASSAY_ARRIVAL: "gamma:2", ASSAY_MAX_REQUESTS: "40", ASSAY_SEED: "9" };
    expect(scheduleOf("chat", settings({ ...more, ASSAY_WARMUP: "0", ASSAY_DURATION: "1m" }))).toEqual({
      process: "gamma",
      rates: [{ from: 10, to: 10 }],
      cv: 2,
      warmupMs: 0,
      durationMs: 60_000,
      maxArrivals: 40,
      seed: 9,
    });
  });

  it("may change their rate within the run", () => {
    const schedule = scheduleOf("chat", settings({ ASSAY_RATE: "10..50,50/s", ASSAY_ARRIVAL: "poisson" }));
    expect(schedule).toMatchObject({
      process: "poisson",
      rates: [
        { from: 10, to: 50 },
        { from: 50, to: 50 },
      ],
    });
  });

  it("are those of a trace, and have no rate then", () => {
    const schedule = scheduleOf("chat", settings({ ASSAY_ARRIVAL: "trace:/t.csv@2" }));
    expect(schedule).toEqual({ process: "trace", warmupMs: 5_000, durationMs: 30_000, seed: 1 });
  });

  it.each([
    [{ ASSAY_RATE: "1..5", ASSAY_VUS: "3" }, "both rate (1..5/s) and vus (3) are set"],
    [{ ASSAY_ARRIVAL: "trace:t", ASSAY_RATE: "3" }, "Replay it faster or slower with its speed"],
    [{ ASSAY_ARRIVAL: "trace:t", ASSAY_VUS: "3" }, "both vus (3) and the arrival process trace:t are set"],
    [{ ASSAY_ARRIVAL: "gamma:2", ASSAY_VUS: "3" }, "both vus (3) and the arrival process gamma:2 are set"],
    [{ ASSAY_RAMP_UP: "2s" }, "there are no virtual users (vus) to start"],
    [{ ASSAY_RAMP_UP: "1m", ASSAY_VUS: "3" }, "the ramp-up of 1m is longer than warm-up and duration together (35s)"],
    [{ ASSAY_SHAPE: "spike", ASSAY_VUS: "3" }, "the shape spike changes a rate, and vus (3) is set"],
  ])("cannot be %j", (more, reason) => {
    expect(() => settings(more)).toThrow(`Cannot shape the load: `);
    expect(() => settings(more)).toThrow(reason);
  });

  it.each([
    [{ ASSAY_SHAPE: "spike" }, "the shape spike changes the rate"],
    [{ ASSAY_RATE: "1..5" }, "the rate 1..5 changes"],
    [{ ASSAY_ARRIVAL: "trace:t" }, "a trace is replayed"],
    [{ ASSAY_MAX_REQUESTS: "9" }, "max-requests counts from the begin"],
    [{ ASSAY_RECORDS: "summary" }, "do not say when each gap was"],
    [{ ASSAY_LEAVE: "10%@2s" }, "clients leave from the begin"],
  ])("cannot be %j where only the steady part counts", (more, reason) => {
    expect(() => settings(more)).not.toThrow();
    expect(() => settings({ ...more, ASSAY_STEADY_ONLY: "true" })).toThrow(reason);
  });

  it("are users that start again at once when vus is set", () => {
    const schedule = scheduleOf("chat", settings({ ASSAY_VUS: "3", ASSAY_RAMP_UP: "0" }));
    expect(schedule).toMatchObject({ process: "closed", users: 3, rampUpMs: 0 });
    expect(schedule).not.toHaveProperty("rates");
  });

  it("are users that start spread over the warm-up, unless something else is said", () => {
    const rampOf = (more: Readonly<Record<string, string>>) =>
      scheduleOf("chat", settings({ ASSAY_VUS: "3", ...more })).rampUpMs;
    expect([rampOf({}), rampOf({ ASSAY_WARMUP: "0" }), rampOf({ ASSAY_RAMP_UP: "12s" })]).toEqual([5_000, 0, 12_000]);
  });
});

describe("the virtual users of a load", () => {
  it("are as many as may be in flight, for warm-up and duration, and then drain", () => {
    expect(executorOf({ ASSAY_RATE: "5", ASSAY_MAX_IN_FLIGHT: "70", ASSAY_DRAIN: "0" })).toEqual({
      executor: "assay-users",
      vus: 70,
      maxDuration: "35000ms",
      gracefulStop: "0ms",
    });
  });

  it("are as many as the closed loop has users", () => {
    expect(executorOf({ ASSAY_VUS: "3", ASSAY_MAX_IN_FLIGHT: "70" })).toMatchObject({ vus: 3 });
  });

  it("drain as long as a request may take when nothing is said, and no longer than the default when that is for ever", () => {
    const drainOf = (more: Readonly<Record<string, string>>) => {
      const { drain } = settings(more);
      expect(executorOf(more)).toMatchObject({ gracefulStop: `${drain}ms` });
      return drain;
    };
    expect(drainOf({})).toBe(120_000);
    expect(drainOf({ ASSAY_TIMEOUT: "7s" })).toBe(7_000);
    expect(drainOf({ ASSAY_TIMEOUT: "0" })).toBe(120_000);
    expect(drainOf({ ASSAY_TIMEOUT: "7s", ASSAY_DRAIN: "0" })).toBe(0);
    expect(runOptionsOf("chat", settings()).settings.drain).toBe(120_000);
  });

  it("are never more than a bounded run has arrivals", () => {
    const bounded = { ASSAY_MAX_REQUESTS: "10", ASSAY_MAX_IN_FLIGHT: "70" };
    expect(executorOf({ ...bounded, ASSAY_WARMUP: "0" })).toMatchObject({ vus: 10, maxDuration: "30000ms" });
    expect(executorOf(bounded)).toMatchObject({ vus: 70, maxDuration: "35000ms" });
  });

  it("run for the second that k6 asks for at least", () => {
    expect(executorOf({ ASSAY_WARMUP: "0", ASSAY_DURATION: "300ms" })).toMatchObject({ maxDuration: "1000ms" });
  });

  it("wait for the start that is given, and then have their whole time", () => {
    const waiting = settings({ ASSAY_START_AT: "2026-11-21T18:00:00Z" });
    const at = Date.UTC(2026, 10, 21, 18);
    expect(scheduleOf("chat", waiting).startAtMs).toBe(at);
    const durationAt = (now: number) => optionsOf("chat", waiting, now).scenarios?.["chat"];
    expect(durationAt(at - 12_000.5)).toMatchObject({ maxDuration: "47001ms" });
    expect(durationAt(at + 1)).toMatchObject({ maxDuration: "35000ms" });
  });

  it("accept any certificate only when the setting says so", () => {
    expect(optionsOf("chat", settings()).insecureSkipTLSVerify).toBe(false);
    expect(optionsOf("chat", settings({ ASSAY_INSECURE: "true" })).insecureSkipTLSVerify).toBe(true);
  });
});

describe("the options for the extension", () => {
  it("hand requests over where nothing follows their responses", () => {
    const handsOver = (more: Readonly<Record<string, string>>, ...sends: readonly ["chat-stream" | "video"] | []) =>
      runOptionsOf("chat-stream", settings(more), ...sends).schedule.handsOver;
    expect(handsOver({}, "chat-stream")).toBe(true);
    expect(handsOver({ ASSAY_TURNS: "3" }, "chat-stream")).toBeUndefined();
    expect(handsOver({}, "video")).toBeUndefined();
    expect(handsOver({})).toBeUndefined(); // a user's own, whatever its name
  });

  it("holds the bounds of a request and the settings, but no key", () => {
    const run = runOptionsOf("chat", settings({ ASSAY_CA_FILE: "/ca.pem", ASSAY_API_KEY: "secret" }));
    expect(run).toMatchObject({ stallMs: 10_000, timeoutMs: 120_000, caFile: "/ca.pem" });
    expect(run.settings).toMatchObject({ scenario: "chat", target: "http://host", maxTokens: 256 });
    expect(JSON.stringify(run)).not.toContain("secret");
    expect(runOptionsOf("chat", settings())).not.toHaveProperty("caFile");
    expect(runOptionsOf("chat", settings({ ASSAY_MEMORY_LIMIT: "1GiB" })).memoryLimitBytes).toBe(2 ** 30);
  });

  it("have a traceparent sent where that is asked for, and only there", () => {
    expect(runOptionsOf("chat", settings({ ASSAY_TRACEPARENT: "1" })).traceparent).toBe(true);
    expect(runOptionsOf("chat", settings())).not.toHaveProperty("traceparent");
  });

  it("holds the rate as it was asked for: a number, or the text of a course", () => {
    const rateOf = (rate: string) => runOptionsOf("chat", settings({ ASSAY_RATE: rate })).settings["rate"];
    expect([rateOf("600/m"), rateOf("10..20,30")]).toEqual([10, "10..20,30"]);
  });
});

describe("further members of chat requests", () => {
  it("are in the record", () => {
    const given = settings({ ASSAY_EXTRA_BODY: '{"ignore_eos":true}', ASSAY_NO_USAGE: "1" });
    expect(runOptionsOf("chat", given).settings).toMatchObject({ extraBody: { ignore_eos: true }, noUsage: true });
  });

  it("hold stream_options only where Assay does not set it", () => {
    const ASSAY_EXTRA_BODY = '{"stream_options":{"include_usage":true}}';
    expect(() => settings({ ASSAY_EXTRA_BODY })).toThrow("Leave it out, or use --set no-usage");
    expect(settings({ ASSAY_EXTRA_BODY, ASSAY_NO_USAGE: "1" }).extraBody).toHaveProperty("stream_options");
  });

  it("are given to k6 themselves and not as the name of a file", () => {
    expect(() => settings({ ASSAY_EXTRA_BODY: "extra.json" })).toThrow('the name of a file, "extra.json"');
  });
});
