/** Why a request had no complete response, from the error of the socket, TLS or the clock. */

import type { FailureKind } from "../../formats/exchanges.ts";
import { type ClientFault, SIZE_LIMITS } from "../../formats/outcomes.ts";
import { UnreadCodingError } from "../../lib/content-coding.ts";
import { codeOf, messageOf } from "../../lib/thrown.ts";
import { ProxyRefusal } from "../../route/proxy-response.ts";
import { reasonOf } from "../../settings/usage-error.ts";
import type { TimeLimit } from "./request-time.ts";

export interface Failure {
  readonly kind: FailureKind;
  readonly message: string;
}

/** Errors of this machine, by what it lacked. What the target sends is not among them: a refused or a reset connection. */
const CLIENT_FAULTS: Readonly<Record<string, ClientFault>> = {
  EMFILE: "open_files",
  ENFILE: "open_files",
  EADDRNOTAVAIL: "source_ports",
  EADDRINUSE: "source_ports",
  ENOBUFS: "memory",
  ENOMEM: "memory",
  ENOTFOUND: "name_resolution",
  ENETUNREACH: "route",
  EHOSTUNREACH: "route",
  ENETDOWN: "route",
  EAFNOSUPPORT: "route",
  EACCES: "route",
  EPERM: "route",
  EINVAL: "route",
};

/** What this machine lacked when a connection failed with the code; undefined when that is not of its making. */
export const clientFaultOf = (code: string): ClientFault | undefined =>
  code.startsWith("EAI_") ? "name_resolution" : CLIENT_FAULTS[code];

const CODES: Readonly<Record<string, FailureKind>> = {
  ECONNREFUSED: "refused",
  ECONNRESET: "reset",
  EPIPE: "reset",
  UND_ERR_SOCKET: "reset",
  UND_ERR_CONNECT_TIMEOUT: "timeout",
  ETIMEDOUT: "timeout",
};

/** What undici calls a bad response to a request in progress. It is allowed (RFC 9110, 15.2), and curl and k6 read on. */
const UNASKED_CONTINUE =
  "the target sent 100 Continue without a request for it, on which the HTTP client of a conformance run ends the connection; a load reads on";

/**
 * Names a failure.
 * @param outside the signal that ends requests together with the run
 * @param within the bound of the request, for the message
 */
export function failureOf(error: unknown, outside: AbortSignal, within: TimeLimit): Failure {
  if (outside.aborted)
    return { kind: "deadline", message: `the run ended before the response did: ${reasonOf(outside.reason)}` };
  if (error instanceof UnreadCodingError) return { kind: "coding", message: error.message };
  if (error instanceof ProxyRefusal) return { kind: "proxy", message: error.message };
  const { name, code, message } = detailsOf(error);
  if (name === "TimeoutError")
    return { kind: "timeout", message: `the response had not ended after ${within.ms} ms${within.why}` };
  if (code === "UND_ERR_HEADERS_OVERFLOW")
    return { kind: "other", message: `the headers are longer than ${SIZE_LIMITS.headers} bytes` };
  if (code === "UND_ERR_SOCKET" && message === "bad response") return { kind: "other", message: UNASKED_CONTINUE };
  const fault = clientFaultOf(code);
  if (fault !== undefined) {
    return { kind: fault === "name_resolution" ? "dns" : "machine", message: `on this machine: ${message}` };
  }
  const kind = CODES[code] ?? (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code) ? "tls" : "other");
  return { kind, message };
}

function detailsOf(error: unknown): { name: string; code: string; message: string } {
  if (!(error instanceof Error)) return { name: "", code: "", message: String(error) };
  if (error instanceof AggregateError && error.errors.length > 0) return detailsOf(error.errors[0]);
  return { name: error.name, code: codeOf(error), message: messageOf(error) };
}
