import { describe, expect, test } from "vitest";
import { readLoadSettings } from "../../tests/support/load-settings.ts";
import { waitingUsersHere } from "./streams.ts";

const waiting = (scenario: string, more: Readonly<Record<string, string>> = {}): number =>
  waitingUsersHere(scenario, readLoadSettings({ ASSAY_TARGET: "http://host", ASSAY_MAX_IN_FLIGHT: "40", ...more }));

describe("virtual users wait for responses", () => {
  test.each([
    ["not in an open loop of single requests", "chat-stream", {}, 0],
    ["not in a closed loop of single requests", "chat", { ASSAY_VUS: "7" }, 0],
    ["in conversations", "chat", { ASSAY_TURNS: "3" }, 40],
    ["with videos", "video", {}, 40],
    ["where a trace may have conversations", "chat", { ASSAY_ARRIVAL: "trace:t" }, 40],
    ["in a scenario of the user's own", "my-own", {}, 40],
  ])("%s", (_, scenario, more, count) => {
    expect(waiting(scenario, more)).toBe(count);
  });
});
