/** Which of the headers that Assay adds a target refuses: asked where it refused everything, with one of them left out at a time. */

import { wasAccepted } from "../conformance/judges/acceptance.ts";
import { OWN_HEADER_NAMES, type OwnHeader } from "../contract/own-headers.ts";
import type { Exchange } from "../formats/exchanges.ts";
import { askOnce, type UsedEndpoint, validRequest } from "./preflight.ts";

/** Statuses that are not about a header of ours: of the key, of an absent path, of too many requests. */
const OF_OTHERS: readonly number[] = [401, 404, 405, 429];

/**
 * Sends a short valid request, and if that is refused, again without one header at a time.
 * @returns a sentence that names the header without which it is accepted; undefined where there is none
 */
export async function refusedHeader(endpoints: readonly UsedEndpoint[]): Promise<string | undefined> {
  const endpoint = endpoints.find((each) => validRequest(each) !== undefined);
  const request = endpoint && validRequest(endpoint);
  if (endpoint === undefined || request === undefined) return undefined;
  const { withoutHeader = [] } = endpoint.connection;
  const ask = (...left: readonly OwnHeader[]): Promise<Exchange> => {
    const connection = { ...endpoint.connection, withoutHeader: [...withoutHeader, ...left] };
    return askOnce({ ...endpoint, connection }, request);
  };
  const status = (await ask()).answer?.status;
  if (status === undefined || status < 400 || status >= 500 || OF_OTHERS.includes(status)) return undefined;
  for (const name of OWN_HEADER_NAMES.filter((each) => !withoutHeader.includes(each))) {
    const exchange = await ask(name);
    if (!wasAccepted(exchange)) continue;
    const replace = name === "x-request-id" ? "" : `, or replace it with --header ${name}=VARIABLE`;
    return `the target refuses the header ${name} that Assay adds: the same ${request.method} ${request.path} was accepted without it (${exchange.answer?.status}), and refused with it (${status}). Leave it out with --without-header ${name}${replace}.`;
  }
  return undefined;
}
