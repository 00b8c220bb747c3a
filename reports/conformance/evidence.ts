/** One exchange with the target as evidence: the request, as a command that repeats it, and the response. */

import type { Exchange } from "../../formats/exchanges.ts";
import { shorten } from "../../lib/text.ts";
import { formatNumber } from "../numbers.ts";
import { type Html, html } from "../page/html-template.ts";
import { cutVectors } from "./exchange-text.ts";

/** Characters of a body that a page shows. */
const SHOWN_BODY = 3_000;
const SECRET = /^(authorization|x-api-key|api-key|cookie|proxy-authorization)$/i;

/** What an exchange is shown with, beside itself. */
interface Shown {
  /** Its anchor on the page: one place only has it. */
  readonly anchor?: string;
  /** What follows the response. */
  readonly more?: Html;
}

/** An exchange that unfolds; one that is not in the record is named as missing. */
export function evidence(number: number, exchange: Exchange | undefined, target: string, shown: Shown = {}): Html {
  if (exchange === undefined) return html`<p class="small">exchange ${number} is not in the record</p>`;
  const { request } = exchange;
  const { anchor, more } = shown;
  return html`<details class="exchange"><summary>exchange ${number}: <code>${request.method} ${pathOf(request.url, target)}</code> → ${responseWords(exchange)}</summary>
<div class="unfolded"${anchor === undefined ? "" : html` id="${anchor}"`}><p class="small">Request${requestId(request)}</p><pre class="curl" tabindex="0" data-name="exchange ${number}">${curl(exchange)}</pre>
<p class="small">Response</p><pre tabindex="0">${received(exchange)}</pre>${more}</div></details>
`;
}

/** The id under which the target may have logged a request. */
function requestId({ headers }: Exchange["request"]): Html | string {
  const id = headerLines(headers).find(([name]) => /^x-request-id$/i.test(name))?.[1];
  return id === undefined ? "" : html`, sent with x-request-id <code>${id}</code>`;
}

/** The address of a request as a reader knows it: without the target. */
export const pathOf = (url: string, target: string): string =>
  shorten(url.startsWith(target) ? url.slice(target.length) : url, 120);

function responseWords({ answer, failure }: Exchange): string {
  const cut = failure === undefined ? "" : ` (${failure.kind}: ${failure.message})`;
  if (answer === undefined) return `no response${cut}`;
  const time = answer.endMs === undefined ? "" : ` in ${formatNumber(Math.round(answer.endMs))} ms`;
  return `${answer.status}${time}${cut}`;
}

const KEY_HEADER = '-H "Authorization: Bearer $ASSAY_API_KEY"';
const BARE_KEY_HEADER = '-H "Authorization: $ASSAY_API_KEY"';
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const headerLines = (headers: Exchange["request"]["headers"]): [string, string][] => Object.entries(headers);

/** A curl command that sends the request again; the key is taken from the environment, save one wrong on purpose. */
export function curl({ request }: Pick<Exchange, "request">): string {
  const headers = headerLines(request.headers).flatMap(([name, value]) => {
    if (/^(host|content-length|connection|transfer-encoding|x-request-id)$/i.test(name)) return [];
    if (/^authorization$/i.test(name)) {
      if (request.key === "bare") return [BARE_KEY_HEADER];
      return [request.key === "wrong" ? `-H ${quoted(`Authorization: ${value}`)}` : KEY_HEADER];
    }
    return [`-H ${quoted(`${name}: ${SECRET.test(name) ? "[redacted]" : value}`)}`];
  });
  const untyped =
    request.body !== undefined && !Object.keys(request.headers).some((name) => /^content-type$/i.test(name));
  // By default, curl declares a body to be a form.
  if (untyped) headers.push("-H 'Content-Type:'");
  const body = request.body === undefined ? [] : [`--data-raw ${quoted(request.body)}`];
  return [`curl -i -X ${request.method} ${quoted(request.url)}`, ...headers, ...body].join(" \\\n  ");
}

function received({ answer, failure }: Exchange): string {
  const end = failure === undefined ? [] : [`[${failure.kind}: ${failure.message}]`];
  if (answer === undefined) return end.join("") || "[no response]";
  const head = headerLines(answer.headers).map(([name, value]) => `${name}: ${value}`);
  const body = shorten(cutVectors(answer.body), SHOWN_BODY);
  return [
    `status ${answer.status}`,
    ...head,
    "",
    body,
    ...(answer.truncated ? ["[the rest was not read]"] : []),
    ...end,
  ].join("\n");
}
