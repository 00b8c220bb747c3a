// What a scenario on k6's own HTTP client measures: the duration of the whole response, and the time to its headers.
import { check } from "k6";
import http from "k6/http";

const { URL = "", SUMMARY = "", BODY = "", SCENARIO = "" } = __ENV;

export const options = { scenarios: { only: JSON.parse(SCENARIO) }, discardResponseBodies: false };

export default function () {
  const response = http.post(URL, BODY, { headers: { "content-type": "application/json" } });
  check(response, { ok: ({ status, body }) => status === 200 && typeof body === "string" && body !== "" });
}

/** @param {{ readonly metrics: object }} summary */
export function handleSummary({ metrics }) {
  return { [SUMMARY]: JSON.stringify(metrics) };
}
