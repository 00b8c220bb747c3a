/** What to do about requests that are refused with a page for people: what stands before a service sends those, seldom the service. */

import { FIREWALL_STATUSES } from "../../../lib/foreign-page.ts";
import type { Refusal } from "./usage-refused.ts";

/** As the load generator names a body that is a page; scenarios/testdata/pages.json holds both to each other. */
const PAGE = /\bIt sent an HTML page\b/;

/** Advice, as a sentence without its end; undefined when the reason is another one. */
export function pageAdvice({ outcome, status = 0, reason = "" }: Refusal): string | undefined {
  if (outcome !== "http_error" || !FIREWALL_STATUSES.includes(status) || !PAGE.test(reason)) return undefined;
  return "such a page is seldom the service's own: a firewall before it may refuse requests by what they contain, such as code or letters outside ASCII. Exempt this path from its rules on content, or send prompts that they allow";
}
