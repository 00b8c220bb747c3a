// Sends every kind of request once an arrival; what differs between tests comes from the environment.
import exec from "k6/execution";
import { Endpoint, configure, nextArrival, openTasks, pause, scenarioThrew, streamOf } from "k6/x/assay";

const number = (name, otherwise) => Number(__ENV[name] || otherwise);
const seconds = number("SECONDS", 2);
const warmup = __ENV.MAX_ARRIVALS ? 0 : 500;
const end = number("END", seconds); // when the virtual users are ended; a busy machine starts them late

const names = (__ENV.STREAMS || "only").split(",");
const own = streamOf(__VU);

const schedule = {
  process: __ENV.PROCESS || "constant",
  rates: [{ from: number("RATE", 10), to: number("TO_RATE", number("RATE", 10)) }],
  warmupMs: warmup,
  durationMs: seconds * 1000 - warmup,
  maxArrivals: number("MAX_ARRIVALS", 0),
  seed: 7,
  handsOver: __ENV.HANDS_OVER === "1",
};

configure({
  schedule,
  streams: names.length > 1 ? names.map((scenario) => ({ scenario, schedule })) : [],
  stallMs: number("STALL_MS", 5000),
  timeoutMs: 20000,
  memoryLimitBytes: number("MEMORY_LIMIT", 0),
  ...(__ENV.CA_FILE ? { caFile: __ENV.CA_FILE } : {}),
  ...(__ENV.H2_CONNECTIONS ? { h2Connections: number("H2_CONNECTIONS") } : {}),
  traceparent: __ENV.TRACEPARENT === "1",
  settings: { scenario: "every-op" },
});

const headers = { authorization: "Bearer sk-very-secret" };
const endpoint = (op, method, path, expect, read = {}) =>
  new Endpoint({ op, method, url: __ENV.TARGET + path, headers, model: "m", stream: op === "chat.stream", expect, read });
const answered = (status, ...fields) => ({ status, fields: fields.map((path) => ({ path, type: "string" })) });

const stream = endpoint("chat.stream", "POST", "/chat", answered(200));
const chat = endpoint("chat", "POST", "/chat", answered(200, "id"), { output_tokens: "usage.completion_tokens" });
const embeddings = endpoint("embeddings", "POST", "/embeddings", {
  status: 200,
  fields: [{ path: "data[].embedding", type: "numbers" }],
  counted: "data",
});
const submit = endpoint("video.submit", "POST", "/videos", answered(202, "id"), { task: "id", task_state: "status" });
const poll = endpoint("video.poll", "GET", "/videos/{task}", answered(200, "status"), {
  task_state: "status",
  progress: "progress",
});
const cancel = endpoint("video.cancel", "POST", "/videos/{task}/cancel", answered(200), { task_state: "status" });

export const options = {
  scenarios: Object.fromEntries(
    names.map((name) => [
      name,
      {
        executor: "assay-users",
        vus: number("VUS", 4),
        maxDuration: `${end}s`,
        gracefulStop: __ENV.DRAIN || "10s",
      },
    ]),
  ),
  teardownTimeout: "20s",
};

const steps = {
  stream: () => stream.send({ body: '{"stream":true}', tags: { part: "stream" } }),
  chat: () => chat.send({ body: "{}" }),
  embeddings: () => embeddings.send({ body: "{}", items: 2 }),
  submit: () => submit.send({ body: "{}" }),
  task: () => {
    const { task } = submit.send({ body: "{}" });
    const reply = poll.send({ task });
    if (reply.task_state !== "processing" || reply.progress !== 40) throw new Error(JSON.stringify(reply));
    pause(1);
    cancel.send({ task, cancelReason: "asked" });
  },
};

// These are not in STEPS unless asked for.
const otherSteps = {
  nothing: () => {},
  last: () => stream.handOver({ body: '{"stream":true}' }),
  abort: () => exec.test.abort("enough"),
  wait: () => pause(60000),
  busy: () => {
    for (;;);
  },
  ofOwnStream: (index) => {
    if (own !== index % names.length) throw new Error(`arrival ${index} was given to a user of stream ${own}`);
  },
  throwing: (index) => {
    if (index % 2 === 1) throw new Error("no such key: sk-very-secret");
  },
};

function act(index) {
  for (const step of (__ENV.STEPS || Object.keys(steps).join(",")).split(",")) (steps[step] ?? otherSteps[step])(index);
}

export default async function () {
  for (let arrival = nextArrival(); arrival !== null; arrival = nextArrival()) {
    try {
      act(arrival.index);
      if (__ENV.ASYNC) await null;
    } catch (error) {
      console.error(String(error));
      scenarioThrew(String(error));
    }
  }
}

export function teardown() {
  const calls = openTasks().map((task) => ({ task, cancelReason: "clean_up" }));
  cancel.sendAll(calls, number("CLEAN_UP_MS", 7000));
}
