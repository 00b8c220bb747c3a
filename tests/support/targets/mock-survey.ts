/** Requests that show what a mock does: a variant that changes none of their responses has no effect. */

import { connect } from "node:net";
import { z } from "zod";
import { PATHS, videoCancelPath, videoTaskPath } from "../../../contract/service.ts";
import { steadyNow } from "../../../lib/steady-clock.ts";
import type { RouteName } from "../../../mock-server/base/route-name.ts";
import type { Mock } from "../../../mock-server/mock.ts";
import { FAILING_PROMPT } from "../../../mock-server/service/failing-prompt.ts";
import { KEY_HEADER, type Sent, send } from "./mock-client.ts";

/**
 * Sends requests to the mock, and returns what was received without what differs in each run.
 * @param isSound whether the mock sends every response in time: then only a busy machine makes one late, and it is waited for
 */
export type Observation = (mock: Mock, isSound?: boolean) => Promise<string>;

/** Some faults never send a response. */
const patienceFor = (isSound: boolean): number => (isSound ? 120_000 : 1_000);
/** Work of a task on the mock that is surveyed: longer than any response should take. */
export const SURVEY_WORK_MS = 250;
const PART_MS = 137;
/** Times after this one are those of the survey. */
const LOADED_AT = Math.floor(steadyNow());

const observing =
  (sent: Sent): Observation =>
  async (mock, isSound = false) => {
    const { status, headers, text, error } = await send(mock, { patienceMs: patienceFor(isSound), ...sent });
    const row = mock.groundTruth().at(-1);
    const { date: _, ...rest } = Object.fromEntries(headers);
    const late = !isSound && (row?.headersMs ?? 0) >= 200;
    return stable(JSON.stringify({ status, rest, text, error, times: row?.planned_ms, late }));
  };

/** A time of the survey; the clock of a mock that is held is moved by less than a minute. */
const isNow = (time: number): boolean => LOADED_AT <= time && time <= steadyNow() + 60_000;

/** Replaces ids and current times by placeholders. */
function stable(text: string): string {
  return text
    .replaceAll(/task-[0-9a-f]{8}-[0-9a-f-]{27}/g, "<task>")
    .replaceAll(/(\\?"created\\?":)\d{10}\b/g, "$1<now>")
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, (at) => (isNow(Date.parse(at)) ? "<now>" : at));
}

const submitted = z.looseObject({ id: z.string() });

/** Submits, then does each step with the task; the clock of the mock is held. */
const taskHistory =
  (prompt: string, steps: readonly ("poll" | "cancel" | "part" | "end")[]): Observation =>
  async (mock, isSound = false) => {
    const patienceMs = patienceFor(isSound);
    const seen = await send(mock, { path: PATHS.videos, body: { model: "m", prompt }, patienceMs });
    const id = submitted.safeParse(seen.json).data?.id ?? mock.tasks().at(-1)?.id ?? "";
    const observations = [String(seen.status)];
    for (const step of steps) {
      if (step === "end") mock.advance(SURVEY_WORK_MS);
      else if (step === "part") mock.advance(PART_MS);
      else if (step === "poll") observations.push(await observing({ path: videoTaskPath(id) })(mock, isSound));
      else observations.push(await observing({ path: videoCancelPath(id), method: "POST" })(mock, isSound));
    }
    return observations.join("\n");
  };

const TASK_HISTORIES: readonly Observation[] = [
  taskHistory("p", ["poll", "part", "poll", "end", "poll", "poll", "cancel", "poll"]),
  taskHistory("p", ["cancel", "poll", "cancel", "end", "poll"]),
  taskHistory(FAILING_PROMPT, ["end", "poll", "poll", "cancel", "poll"]),
  observing({ path: videoTaskPath("unknown") }),
];

const MESSAGES = [{ role: "user", content: "hi" }];
const bodies = (path: string, minimal: object, variants: readonly object[]): readonly Observation[] => [
  observing({ path, body: minimal }),
  ...["none", "wrong"].map((key) =>
    observing({ path, body: minimal, headers: key === "none" ? {} : { authorization: "Bearer wrong" } }),
  ),
  ...variants.map((variant) => observing({ path, body: { ...minimal, ...variant } })),
];

/** Paths that are not in the specification, but that some services serve. */
const PATH_OBSERVATIONS: readonly Observation[] = [PATHS.chat.replace("/v1", ""), `${PATHS.chat}/`].map((path) =>
  observing({ path, body: { model: "m", messages: MESSAGES } }),
);

/** Texts with characters that a service may handle wrongly. */
const SPECIAL_TEXTS = ['a "quoted" \\ text\non two lines', "Grüße, 你好", "Hello 🙂"];

const CHAT = bodies(PATHS.chat, { model: "m", messages: MESSAGES }, [
  { model: undefined },
  { messages: undefined },
  { messages: "hi" },
  { messages: [{ content: "hi" }] },
  { messages: [{ role: "user" }] },
  { messages: [{ role: "user", content: "hi", name: "Ada" }] },
  { messages: [{ role: "system", content: "Be brief." }, ...MESSAGES] },
  { messages: [...MESSAGES, { role: "assistant", content: "Hello." }, ...MESSAGES] },
  { messages: Array.from({ length: 5 }, () => MESSAGES).flat() },
  { messages: [] },
  ...[null, {}, "hi ".repeat(2_000)].map((content) => ({ messages: [{ role: "user", content }] })),
  ...SPECIAL_TEXTS.map((content) => ({ messages: [{ role: "user", content }] })),
  { temperature: 0 },
  { temperature: 1 },
  { temperature: 2 },
  { temperature: 2.05 },
  { temperature: "1" },
  { temperature: null },
  { stream: false },
  { max_tokens: 1 },
  { max_tokens: 2 },
]);

/** The bytes of a stream on the wire, with chunk framing. */
const bytesOfStream: Observation = (mock, isSound = false) =>
  new Promise((resolve) => {
    const body = JSON.stringify({ model: "m", messages: MESSAGES, stream: true });
    const socket = connect(mock.port, "127.0.0.1");
    const parts: Buffer[] = [];
    const head = [
      `POST ${PATHS.chat} HTTP/1.1`,
      "Host: mock",
      `Authorization: ${KEY_HEADER.authorization}`,
      `Content-Length: ${body.length}`,
      "Connection: close",
    ];
    socket.setTimeout(patienceFor(isSound), () => socket.destroy());
    socket.on("data", (part) => parts.push(part));
    socket.on("error", (error) => parts.push(Buffer.from(error.message)));
    socket.on("close", () =>
      resolve(
        stable(
          Buffer.concat(parts)
            .toString()
            .replace(/^Date:.*$/im, ""),
        ),
      ),
    );
    socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  });

/** The requests for each route. */
export const SURVEY: Readonly<Record<RouteName, readonly Observation[]>> = {
  chat: [...CHAT, ...PATH_OBSERVATIONS],
  "chat.stream": [
    ...bodies(PATHS.chat, { model: "m", messages: MESSAGES, stream: true }, [
      { temperature: 2 },
      { temperature: 2.05 },
      { max_tokens: 1 },
      { max_tokens: 2 },
      { stream_options: { include_usage: true } },
    ]),
    bytesOfStream,
  ],
  embeddings: bodies(PATHS.embeddings, { model: "m", input: "a" }, [
    { model: undefined },
    { input: undefined },
    { input: ["a", "b", "c"] },
    { input: [...Array.from({ length: 39 }, (_, i) => `text ${i}`), "text 0"] },
    { input: { text: "a" } },
    { model: 7 },
    { encoding_format: "float" },
    { encoding_format: "base64" },
    { encoding_format: "hex" },
    { encoding_format: 7 },
    { input: "" },
    ...SPECIAL_TEXTS.map((input) => ({ input })),
  ]),
  "video.submit": [
    ...bodies(PATHS.videos, { model: "m", prompt: "p" }, [
      { model: undefined },
      { prompt: undefined },
      { model: 7 },
      ...[1999, 2000, 2001, 20_000].map((length) => ({ prompt: "a".repeat(length) })),
      { prompt: "é".repeat(2000) },
      { prompt: "🎬".repeat(2000) },
      ...[5, 10, 7].map((duration) => ({ duration })),
      ...["720p", "1080p", "480p", 720].map((resolution) => ({ resolution })),
      ...["16:9", "9:16", "1:1", "4:3"].map((aspect_ratio) => ({ aspect_ratio })),
      { duration: 10, resolution: "1080p" },
    ]),
  ],
  "video.poll": [...TASK_HISTORIES, observing({ path: videoTaskPath("absent"), headers: {} })],
  "video.cancel": [...TASK_HISTORIES, observing({ path: videoCancelPath("absent"), method: "POST", headers: {} })],
};

/** Options of the mock that is surveyed. */
export const SURVEYED = {
  heldClock: true,
  workMs: SURVEY_WORK_MS,
  ttftMs: 4,
  itlMs: 2,
  outputTokens: 6,
  apiKeys: [KEY_HEADER.authorization.slice("Bearer ".length)],
} as const;
