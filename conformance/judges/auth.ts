/** Judges of how the target treats API keys. */

import type { Exchange, Exchanges } from "../../formats/exchanges.ts";
import { isPage } from "../../lib/foreign-page.ts";
import type { Context } from "../model/clause.ts";
import { broken, elsewhere, holds, inconclusive } from "../model/findings.ts";
import { errorOf, type Judged } from "./acceptance.ts";
import { neitherServedNorRefused, wasServed } from "./refusal.ts";
import { HEADER_CASE, isSuccess, KEY_REFUSED, returned } from "./status.ts";
import { refusesModel } from "./unknown-model.ts";

/**
 * The endpoint served our key; refused, it is at fault only when another endpoint took the same key, or when this one
 * takes it without Bearer.
 * @param bare the response to the key without Bearer, which is tried after a 401
 */
export function keyAccepted(
  [exchange]: Exchanges,
  others: readonly Exchanges[],
  { keyGiven }: Context,
  bare?: Exchange,
): Judged {
  const status = exchange?.answer?.status ?? 0;
  if (!keyGiven) return inconclusive("no API key was given; set ASSAY_API_KEY");
  if (wasServed(exchange)) return holds(`${returned(exchange)} to the API key`);
  if (!refusesKey(exchange)) return elsewhere(`${returned(exchange)}, which does not tell whether the key is accepted`);
  if (wasServed(bare))
    return broken(
      "the header Authorization carries Bearer <API_KEY>",
      `the target refused that with ${status} and accepted the key without Bearer`,
      [exchange, bare].flatMap((one) => (one === undefined ? [] : [one.id])),
    );
  if (!others.some(([other]) => wasServed(other)))
    return inconclusive(
      `the target refused the API key everywhere${errorOf(exchange)}; check ASSAY_API_KEY. ${HEADER_CASE}`,
    );
  return broken(
    "a valid key is accepted on every endpoint",
    `the target returned ${status} here and accepted the key elsewhere`,
  );
}

/** Whether a response refuses the key: 401, or 403 but for the page of a firewall, which does not look at keys, and for a model that a key may not use. */
function refusesKey(exchange: Exchange | undefined): boolean {
  const { status, body } = exchange?.answer ?? { status: 0, body: "" };
  if (exchange === undefined || !KEY_REFUSED.includes(status)) return false;
  return status === 401 || (!isPage(body) && !refusesModel(exchange));
}

/** A request without a valid key was refused. */
export function keyEnforced([exchange]: Exchanges): Judged {
  const status = exchange?.answer?.status ?? 0;
  if (isSuccess(exchange)) {
    if (!wasServed(exchange)) return neitherServedNorRefused(exchange);
    const sent = exchange?.request.key === "wrong" ? "with an invalid key" : "without a key";
    return broken("every request carries a valid key", `the target accepted a request ${sent} (${status})`);
  }
  if (status >= 400 && status < 500) return holds(`the target returned ${status}`);
  return inconclusive(returned(exchange));
}

/** HTTP knows no case of header names: the key is found however the name of its header is written. */
export function keyNameKnown(exchanges: Exchanges): Judged {
  const bad = exchanges.find((exchange) => !wasServed(exchange));
  if (bad === undefined) return holds("the key was accepted in each case of the header name");
  const name = Object.keys(bad.request.headers).find((one) => one.toLowerCase() === "authorization");
  if (!KEY_REFUSED.includes(bad.answer?.status ?? 0))
    return inconclusive(`${returned(bad)}, which does not tell whether the key is accepted`);
  return broken("names of headers count in every case", `${returned(bad)} to the header ${name}${errorOf(bad)}`, [
    bad.id,
  ]);
}
