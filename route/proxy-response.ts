/** Responses that a proxy sends of its own. The extension has the same rule (`extension/route/transport.go`). */

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Why a request did not come through to the target: its proxy says so. */
export class ProxyRefusal extends Error {
  override readonly name = "ProxyRefusal";
  readonly status: number;

  /** @param proxy its address, without credentials */
  constructor(status: number, proxy: string) {
    super(`the proxy ${proxy} did not pass the request on: it returned status ${status}`);
    this.status = status;
  }
}

/** The names by which proxies tell that a response is their own. */
const PROXIES = /^(?:squid|tinyproxy|privoxy|mitmproxy|zscaler)\b/i;

/**
 * Whether a response that came by way of a proxy is that of the proxy, and not of the target.
 * @param headers by name in small letters
 */
export function isOfProxy(status: number, headers: Headers): boolean {
  const textOf = (name: string): string => [headers[name] ?? ""].flat().join(", ");
  if (status === 407) return true;
  const tells = textOf("x-squid-error") !== "" || textOf("proxy-agent") !== "" || PROXIES.test(textOf("server"));
  return status >= 400 && (tells || /;\s*error=/i.test(textOf("proxy-status")));
}
