/** The base address of the service. Pure. */

import { API_PREFIX } from "../contract/service.ts";
import { UsageError } from "./usage-error.ts";

/**
 * Reads the base address of the service; a trailing slash and a trailing `/v1` are dropped.
 * @throws UsageError when the text is not an http or https address
 */
export function parseBaseUrl(text: string): string {
  const address = /^https?:\/\/[^\s/?#@]+(?:\/[^\s?#@]*)?$/i.exec(text.trim())?.[0];
  if (address === undefined && /[?#@]/.test(text)) {
    throw new UsageError(
      "the address contains a user, a query or a fragment, where a key could be, and it is written into results and logs; write it without, such as http://127.0.0.1:8080, and pass keys in ASSAY_API_KEY or with --header NAME=ENVVAR",
    );
  }
  if (address === undefined) {
    throw new UsageError(`"${text}" is not an address; write one such as http://127.0.0.1:8080`);
  }
  return dropPrefix(address.replace(/\/+$/, ""));
}

const dropPrefix = (address: string): string =>
  address.endsWith(API_PREFIX) ? address.slice(0, -API_PREFIX.length).replace(/\/+$/, "") : address;

/** Whether `parseBaseUrl` drops a trailing `/v1`, so that the user can be informed. */
export const endsWithPrefix = (text: string): boolean => new RegExp(`${API_PREFIX}/*$`).test(text.trim());
