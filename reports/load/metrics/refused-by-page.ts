/** What to do about requests that are refused with a page for people: what stands before a service sends those, seldom the service. */

import type { Refusal } from "./usage-refused.ts";

/** Statuses with which firewalls refuse a request that they do not like; AWS, Azure and ModSecurity take 403. */
const STATUSES: readonly (number | undefined)[] = [400, 403, 405, 406];

/** As the load generator names a body that begins as HTML does. */
const PAGE = /\bIt sent an HTML page\b/;

/** Advice, as a sentence without its end; undefined when the reason is another one. */
export function pageAdvice({ outcome, status, reason = "" }: Refusal): string | undefined {
  if (outcome !== "http_error" || !STATUSES.includes(status) || !PAGE.test(reason)) return undefined;
  return "such a page is seldom the service's own: a firewall before it may refuse requests by what they contain, such as code or letters outside ASCII. Exempt this path from its rules on content, or send prompts that they allow";
}
