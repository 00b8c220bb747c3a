/** Recognises what whoever else answers at an address that is not one of the service: a redirect, a page, an unknown path. */

import { API_PREFIX } from "../../contract/service.ts";
import type { Exchange } from "../../formats/exchanges.ts";
import { isPage } from "../../lib/foreign-page.ts";
import { show } from "../../lib/json.ts";
import { broken } from "../model/findings.ts";
import { errorIn } from "./acceptance.ts";
import { returned } from "./status.ts";
import { refusesModel } from "./unknown-model.ts";

/** Statuses of a path, or a method of it, that a server does not know. */
const UNKNOWN_PATH: readonly number[] = [404, 405, 501];

/** What is said where nothing responds as the service does. @param found one of the responses, in words */
export const atWrongAddress = (found: string): string =>
  `${found}, and nothing else at this address responds as the service does; check --target`;

/** What is said where a path of the service responds without the prefix alone. @param found what came with the prefix, in words */
export const withoutPrefix = (found: string, { request }: Exchange) =>
  broken(
    `the specification requires the prefix ${API_PREFIX} on every path`,
    `${found}; without the prefix, at ${new URL(request.url).pathname}, the target responds as the service does`,
  );

/** What makes a response look as if it came from elsewhere, in words; undefined for one that the service may have sent. */
export function foreignResponse(exchange: Exchange | undefined): string | undefined {
  const { answer } = exchange ?? {};
  if (answer === undefined) return undefined;
  const { status, headers, body } = answer;
  if (status >= 300 && status < 400)
    return `${returned(exchange)} with the location ${show(headers["location"] ?? "absent")}`;
  if (isPage(body)) return `${returned(exchange)} with an HTML or XML page`;
  return exchange !== undefined && UNKNOWN_PATH.includes(status) && !refusesModel(exchange)
    ? `${returned(exchange)} with ${body === "" ? "an empty body" : JSON.stringify(errorIn(exchange))}`
    : undefined;
}
