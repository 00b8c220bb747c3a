/** Pages for people, which what stands before a service sends, and seldom the service itself. Pure. */

import { plainLine, shorten } from "./text.ts";

/** Text that every reader of a stream would take for a page of a gateway, not for a reply. */
export const PAGE = /^\s*<(?:!doctype|html|\?xml)\b/i;

/** The start of a document of markup, of whatever kind. */
const MARKUP = /^<[a-z!?]/i;

/** Statuses with which firewalls refuse a request by what it contains; AWS, Azure and ModSecurity take 403. */
export const FIREWALL_STATUSES: readonly number[] = [400, 403, 405, 406];

const TITLE = /<title[^>]*>([^<]+)<\/title>/i;
const LOOKED = 4_096;
const SHOWN_TITLE = 100;

/** Whether a body is a page for people or another document of markup, and not a response of the service. */
export function isPage(body: string): boolean {
  if (PAGE.test(body)) return true;
  const text = body.trim();
  return MARKUP.test(text) && text.endsWith(">");
}

/** `an HTML or XML page, "403 Forbidden"`; undefined for what is no page, or has no title. */
export function titledPage(body: string): string | undefined {
  const title = isPage(body) ? TITLE.exec(body.slice(0, LOOKED))?.[1]?.replace(/\s+/g, " ").trim() : undefined;
  return title === undefined || title === ""
    ? undefined
    : `an HTML or XML page, "${shorten(plainLine(title), SHOWN_TITLE)}"`;
}
