/** What the mock does. Not imported by k6 code. */

import { CAPACITY_IN_WORDS, formatCapacity, type GivenCapacity, parseCapacity } from "./mock-slots.ts";
import { type Codec, inGroup, settingFor } from "./setting.ts";
import { COUNT_OR_ZERO, FILE, SWITCH, text, texts } from "./values.ts";

const mock = settingFor("mock");
const server = settingFor("mock", "proxy");

const CAPACITY: Codec<GivenCapacity> = { read: parseCapacity, write: formatCapacity, placeholder: "n,…" };

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
  ...inGroup("Capacity", {
    slots: mock(CAPACITY, CAPACITY_IN_WORDS, { defaultNote: "unlimited" }),
  }),
  ...inGroup("Variants and faults", {
    behaviour: mock(
      text("name"),
      "permitted variant to serve: a choice that the specification leaves open; see --list-faults",
      { default: "strict" },
    ),
    fault: mock(texts("name"), "fault to inject; see --list-faults", { repeatable: true }),
  }),
};
