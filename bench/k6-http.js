// What a scenario on k6's own HTTP client measures: the whole of an answer, and the time to its headers.
import { check } from "k6";
import http from "k6/http";

const { TARGET, SUMMARY, BODY } = __ENV;

export const options = { scenarios: { only: JSON.parse(__ENV.SCENARIO) }, discardResponseBodies: false };

export default function () {
  const answer = http.post(`${TARGET}/v1/chat/completions`, BODY, { headers: { "content-type": "application/json" } });
  check(answer, { ok: ({ status, body }) => status === 200 && body.length > 0 });
}

export function handleSummary({ metrics }) {
  return { [SUMMARY]: JSON.stringify(metrics) };
}
