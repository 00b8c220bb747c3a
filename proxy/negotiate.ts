/** Chooses the version of HTTP to a target: HTTP/2 where TLS agrees on it, else HTTP/1.1. */

import { connect } from "node:tls";
import type { Target } from "./forwarding.ts";
import { HeldBytes, UnreadBytes } from "./held-bytes.ts";
import { http1Target, type TlsOptions } from "./http1-target.ts";
import { http2Target } from "./http2-target.ts";

const HANDSHAKE_MS = 10_000;

/**
 * Opens one connection to a target with TLS to see which versions it offers, and closes it again.
 * @param held by all exchanges. @param unread by all clients
 * @throws Error of the handshake, such as that of a certificate that is not trusted
 */
export async function targetFor(
  address: string,
  tls: TlsOptions = {},
  held = new HeldBytes(),
  unread = new UnreadBytes(),
): Promise<Target> {
  const url = new URL(address);
  if (url.protocol !== "https:") return http1Target(url, tls);
  return (await agreedProtocol(url, tls)) === "h2" ? http2Target(url, tls, held, unread) : http1Target(url, tls);
}

function agreedProtocol(url: URL, tls: TlsOptions): Promise<string | false | null> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const name = /^[\d.]+$|:/.test(host) ? {} : { servername: host };
  const port = Number(url.port || 443);
  return new Promise((resolve, reject) => {
    const socket = connect({ ...tls, ...name, host, port, ALPNProtocols: ["h2", "http/1.1"] });
    socket.setTimeout(HANDSHAKE_MS, () =>
      socket.destroy(new Error(`no TLS handshake within ${HANDSHAKE_MS / 1_000} s`)),
    );
    socket.once("error", reject);
    socket.once("secureConnect", () => {
      resolve(socket.alpnProtocol);
      socket.destroy();
    });
  });
}
