/** What the mock does. Not imported by k6 code. */

import { inGroup, settingFor } from "./setting.ts";
import { COUNT, COUNT_OR_ZERO, DURATION, FILE, SWITCH, text, texts } from "./values.ts";

const mock = settingFor("mock");
const server = settingFor("mock", "proxy");

/** How chats share the capacity of the mock. Without `slots` it has no limit, and the others do not apply. */
export const CAPACITY_SETTINGS = inGroup("Capacity", {
  slots: mock(COUNT, "chats served at once; more wait in a queue", { defaultNote: "unlimited" }),
  prefill: mock(DURATION, "with --slots: time to process a prompt token", { default: "0.2ms" }),
  step: mock(DURATION, "with --slots: time between the tokens of a chat that is served alone", { default: "20ms" }),
  stepGrowth: mock(DURATION, "with --slots: time added to the step per additional chat", { default: "1ms" }),
  queue: mock(COUNT_OR_ZERO, "with --slots: chats that may wait; more are rejected", { default: "64" }),
  busyStatus: mock(COUNT, "with --slots: status of the rejection, 429 or 503", { default: "429" }),
});

export const MOCK_SETTINGS = {
  ...inGroup("Server", {
    port: server(COUNT_OR_ZERO, "port to listen on (0 = a free one)", { default: "0" }),
    host: server(text("address"), "address to listen on", { default: "127.0.0.1" }),
    tls: mock(SWITCH, "also serve HTTPS and HTTP/2, with a CA made for this run (prints the path of its file)"),
    metrics: mock(SWITCH, "serve /metrics in the text format of Prometheus, under the names of vLLM"),
    ledger: mock(FILE, "write the ground truth about each request to this file"),
  }),
  ...inGroup("Timing", {
    timing: mock(text("name"), "response times: instant, fast, typical, slow", { default: "fast" }),
    ttft: mock(text("time"), "time to first token, such as 100ms or lognormal:100ms,0.5", {
      defaultNote: "from --timing",
    }),
    itl: mock(text("time"), "time between tokens, such as 20ms or gamma:20ms,2", { defaultNote: "from --timing" }),
    outputTokens: mock(text("n"), "tokens per response, such as 150 or lognormal:150,0.5", {
      defaultNote: "from --timing",
    }),
    work: mock(text("time"), "processing time of a video task, such as 3s", { defaultNote: "from --timing" }),
  }),
  ...CAPACITY_SETTINGS,
  ...inGroup("Variants and faults", {
    behaviour: mock(
      text("name"),
      "permitted variant to serve, where the specification leaves a choice; see --list-faults",
      { default: "strict" },
    ),
    fault: mock(texts("name"), "fault to inject; see --list-faults", { repeatable: true }),
  }),
};
