/** What the mock does. Not imported by k6 code. */

import { setting } from "./setting.ts";
import { COUNT, COUNT_OR_ZERO, DURATION, SWITCH, TEXT, TEXTS } from "./values.ts";

/** How chats share the capacity of the mock. Without `slots` it has no limit, and the others do not apply. */
export const CAPACITY_SETTINGS = {
  slots: setting(COUNT, {
    for: ["mock"],
    value: "n",
    defaultNote: "unlimited",
    help: "chats served at once; more wait in a queue",
  }),
  prefill: setting(DURATION, {
    for: ["mock"],
    value: "time",
    default: "0.2ms",
    help: "with --slots: time to process a prompt token",
  }),
  step: setting(DURATION, {
    for: ["mock"],
    value: "time",
    default: "20ms",
    help: "with --slots: time between the tokens of a chat that is served alone",
  }),
  stepGrowth: setting(DURATION, {
    for: ["mock"],
    value: "time",
    default: "1ms",
    help: "with --slots: time added to the step per additional chat",
  }),
  queue: setting(COUNT_OR_ZERO, {
    for: ["mock"],
    value: "n",
    default: "64",
    help: "with --slots: chats that may wait; more are rejected",
  }),
  busyStatus: setting(COUNT, {
    for: ["mock"],
    value: "status",
    default: "429",
    help: "with --slots: status of the rejection, 429 or 503",
  }),
};

export const MOCK_SETTINGS = {
  port: setting(COUNT_OR_ZERO, { for: ["mock"], value: "n", default: "0", help: "port to listen on (0 = a free one)" }),
  host: setting(TEXT, { for: ["mock"], value: "address", default: "127.0.0.1", help: "address to listen on" }),
  tls: setting(SWITCH, {
    for: ["mock"],
    help: "also serve HTTPS and HTTP/2, with a CA made for this run (prints the path of its file)",
  }),
  timing: setting(TEXT, {
    for: ["mock"],
    value: "name",
    default: "fast",
    help: "response times: instant, fast, typical, slow",
  }),
  ttft: setting(TEXT, {
    for: ["mock"],
    value: "time",
    defaultNote: "from --timing",
    help: "time to first token, such as 100ms or lognormal:100ms,0.5",
  }),
  itl: setting(TEXT, {
    for: ["mock"],
    value: "time",
    defaultNote: "from --timing",
    help: "time between tokens, such as 20ms or gamma:20ms,2",
  }),
  outputTokens: setting(TEXT, {
    for: ["mock"],
    value: "n",
    defaultNote: "from --timing",
    help: "tokens per response, such as 150 or lognormal:150,0.5",
  }),
  work: setting(TEXT, {
    for: ["mock"],
    value: "time",
    defaultNote: "from --timing",
    help: "processing time of a video task, such as 3s",
  }),
  ...CAPACITY_SETTINGS,
  behaviour: setting(TEXT, {
    for: ["mock"],
    value: "name",
    default: "strict",
    help: "permitted variant to serve, where the specification leaves a choice; see --list-faults",
  }),
  fault: setting(TEXTS, {
    for: ["mock"],
    value: "name",
    help: "fault to inject; see --list-faults",
    repeatable: true,
  }),
  ledger: setting(TEXT, {
    for: ["mock"],
    value: "file",
    help: "write the ground truth about each request to this file",
  }),
};
