import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { checkedSettings } from "../../load/rules/checked-settings.ts";
import { CLEAN_UP_MS } from "../../settings/clean-up-time.ts";
import { EndWatchdog, latestEndMs } from "./end-watchdog.ts";
import { planLoad } from "./plan-load.ts";

const HOUR_MS = 3_600_000;
const ALLOWANCES = { startMs: 1_000, perUserMs: 10, teardownMs: 4_000, endMs: 500 };

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

function watch() {
  const events: string[] = [];
  const ends = {
    ask: (passedMs: number) => void events.push(`asked after ${passedMs}`),
    kill: () => void events.push(`killed after ${Date.now()}`),
  };
  return { events, watchdog: new EndWatchdog(ends, ALLOWANCES) };
}

test("k6 is asked to end at its latest end, and killed when it does not follow", () => {
  const { events, watchdog } = watch();
  watchdog.within(3_000);
  vi.advanceTimersByTime(2_999);
  expect(watchdog.hasEnded).toBe(false);
  vi.advanceTimersByTime(1);
  expect(events).toEqual(["asked after 3000"]);
  expect(watchdog.hasEnded).toBe(true);
  vi.advanceTimersByTime(1_000);
  expect(events).toEqual(["asked after 3000", "killed after 3500"]);
});

test("a k6 that ends in time is left alone", () => {
  const { events, watchdog } = watch();
  watchdog.within(3_000);
  vi.advanceTimersByTime(2_000);
  watchdog.stop();
  watchdog.interrupted();
  vi.advanceTimersByTime(10_000);
  expect(events).toEqual([]);
});

test("an interrupt brings the latest end forward and never puts it off", () => {
  const { events, watchdog } = watch();
  watchdog.within(HOUR_MS);
  vi.advanceTimersByTime(1_000);
  watchdog.interrupted();
  vi.advanceTimersByTime(3_000);
  watchdog.interrupted();
  vi.advanceTimersByTime(1_000);
  expect(events).toEqual(["asked after 5000", "killed after 5000"]);
});

test("a k6 that does not follow an interrupt is killed within the time that is printed for the clean-up", () => {
  const killed: number[] = [];
  const watchdog = new EndWatchdog({ ask: () => undefined, kill: () => killed.push(Date.now()) });
  watchdog.within(HOUR_MS);
  watchdog.interrupted();
  vi.advanceTimersByTime(HOUR_MS);
  expect(killed).toEqual([CLEAN_UP_MS]);
});

test("a run of months does not end early, although timers are shorter", () => {
  const { events, watchdog } = watch();
  watchdog.within(60 * 24 * HOUR_MS);
  vi.advanceTimersByTime(60 * 24 * HOUR_MS - 1);
  expect(events).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(events).toHaveLength(1);
});

test("the clock of the machine may step: only the time that passes counts", () => {
  const { events, watchdog } = watch();
  watchdog.within(10_000);
  vi.advanceTimersByTime(1_000);
  vi.setSystemTime(HOUR_MS);
  vi.advanceTimersByTime(8_000);
  vi.setSystemTime(0);
  expect(events).toEqual([]);
  vi.advanceTimersByTime(1_000);
  expect(events).toEqual(["asked after 10000"]);
});

test("the latest end is that of the schedule and of all that may follow it", () => {
  const flags = { target: "http://host", warmup: "2s", duration: "10s", drain: "3s", maxInFlight: "5" };
  const { settings } = planLoad("chat", flags, { env: {} });
  expect(latestEndMs(settings, 0, ALLOWANCES)).toBe(1_000 + 5 * 10 + 15_000 + 4_000 + 500);
  const waiting = checkedSettings({ ...settings, startAt: 60_000 });
  expect(latestEndMs(waiting, 10_000, ALLOWANCES)).toBe(50_000 + latestEndMs(settings, 0, ALLOWANCES));
});
