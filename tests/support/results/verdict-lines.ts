/** Files of a made-up conformance run for tests, one clause for each verdict. */

import type { Verdict, VerdictLine } from "../../../formats/verdicts.ts";

const AT = "2026-01-02T03:04:05.000Z";

/** Statements of some clauses; the others are as in files that were written without. */
const SPECIFICATION: Readonly<Record<string, VerdictLine["specification"]>> = {
  "chat.temperature.over": [
    { row: "limits.temperature", section: "Limits", text: "temperature: 0 to 2" },
    {
      row: "chat.request.temperature",
      section: "Chat completion request",
      text: "temperature is a number from 0 to 2",
    },
    { row: "made.up", section: "A section", text: "a third statement" },
  ],
  "chat.status": [{ row: "endpoints.chat", section: "Endpoints", text: "answers 200 with the completion" }],
};

const line = (
  id: string,
  level: VerdictLine["level"],
  verdict: Verdict,
  text: string,
  reason: string,
  more: Partial<VerdictLine> = {},
): VerdictLine => ({
  id,
  area: id.split(".").slice(0, -1).join("."),
  level,
  text,
  specification: SPECIFICATION[id] ?? [],
  verdict,
  reason,
  evidence: [],
  ...more,
});

/** A hostile answer, to be shown as text and nothing else. */
export const HOSTILE =
  '<script>alert("x")</script><img src=x onerror=alert(1)>\u001b[31mred\u001b[0m \u0000\u202e ]]> & "';

export const LINES: readonly VerdictLine[] = [
  line("chat.status", "required", "PASS", "a chat completion is answered with 200", "status 200", { evidence: [1] }),
  line("chat.response.id", "required", "PASS", "the answer has an id, a string", 'id is "c-1"', { evidence: [1] }),
  line(
    "chat.temperature.over",
    "required",
    "FAIL",
    "a temperature above 2 is not accepted",
    `2.1 should be refused; it was answered with 200 and ${HOSTILE} (exchange 2)`,
    { evidence: [2] },
  ),
  line(
    "chat.temperature.type",
    "recommended",
    "WARN",
    "a temperature that is text is not accepted",
    '"1" was answered with 200 (exchange 3)',
    { evidence: [3] },
  ),
  line("chat.error.form", "observed", "OBSERVED", "the form of an error is not shown", "400 with an object error"),
  line(
    "embeddings.dimensions",
    "required",
    "BLOCKED",
    "all vectors have the same length",
    "embeddings.status did not pass",
    { blockedBy: "embeddings.status" },
  ),
  line(
    "embeddings.status",
    "required",
    "INCONCLUSIVE",
    "embeddings are answered with 200",
    "answered with 429 until the end (exchange 4)",
    { evidence: [4] },
  ),
  line(
    "embeddings.base64",
    "required",
    "KNOWN",
    "base64 is accepted",
    "refused with 400; the baseline lists it until 2026-06-01",
  ),
  line("embeddings.failing", "required", "NOT-APPLICABLE", "a failed task has an error", "no failing prompt was given"),
];

export const VIDEO = ["video.submit.status", "video.poll.status"].map((id) => ({
  id,
  area: id.split(".").slice(0, -1).join("."),
  level: "required" as const,
  text: "a video call is answered as documented",
  selected: false,
  reason: "video is not allowed; add --video",
}));

/** Lines of `verdicts.jsonl`; `finished` false leaves out the last. */
export function verdictsOf(lines: readonly VerdictLine[], finished = true): string[] {
  const clauses = [
    ...lines.map(({ id, area, level, text, specification }) => ({
      id,
      area,
      level,
      text,
      specification,
      selected: true,
    })),
    ...VIDEO,
  ];
  const header = {
    schema: "assay.verdicts/1",
    target: "http://127.0.0.1:8080",
    settings: { profile: "service", video: false },
    startedAt: AT,
    clauses,
  };
  const written = [
    header,
    ...lines.map((verdict) => ({ ...verdict, at: AT })),
    ...(finished ? [{ finishedAt: AT }] : []),
  ];
  return written.map((value) => JSON.stringify(value));
}

const json = { "content-type": "application/json" };
const exchangeOf = (id: number, body: string, status: number, answer: string) => ({
  id,
  probe: "chat",
  request: {
    method: "POST",
    url: "http://127.0.0.1:8080/v1/chat/completions",
    headers: { authorization: "<redacted>", ...json },
    body,
  },
  answer: { status, headers: json, body: answer, truncated: false, chunks: [], headersMs: 11.2, endMs: 12.7 },
  startedAt: AT,
});

/** Lines of `exchanges.jsonl`. */
export const EXCHANGES: readonly string[] = [
  { schema: "assay.exchanges/1", target: "http://127.0.0.1:8080", startedAt: AT },
  exchangeOf(1, '{"model":"m"}', 200, '{"id":"c-1"}'),
  exchangeOf(2, `{"model":"it's","temperature":2.1}`, 200, HOSTILE),
  exchangeOf(3, '{"model":"m","temperature":"1"}', 200, "{}"),
  {
    ...exchangeOf(4, '{"model":"m"}', 429, ""),
    answer: undefined,
    failure: { kind: "reset", message: "the connection was reset" },
  },
].map((value) => JSON.stringify(value));
