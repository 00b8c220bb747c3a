/** What `assay proxy` and the process that passes the traffic on tell each other. */

import type { CheckSettings, FromCheck } from "./check-messages.ts";

/** Where requests come from and go to. */
export interface Route {
  readonly host: string;
  /** 0 for a free one. */
  readonly port: number;
  /** Address of the target. */
  readonly target: string;
  /** All certificates that are trusted; undefined for a target without TLS. */
  readonly ca: string | undefined;
  /** For a target that asks for a certificate, in PEM form. */
  readonly client: { readonly cert: string; readonly key: string } | undefined;
  /** In place of those that the resolver knows for the name of the target. */
  readonly addresses: readonly string[] | undefined;
  readonly insecure: boolean;
}

/** To the forwarding process; `begin` first. */
export type ToForwarding =
  | { readonly kind: "begin"; readonly route: Route; readonly check: CheckSettings }
  /** Stop listening, and end when no request is on its way. */
  | { readonly kind: "stop" }
  /** End all connections. */
  | { readonly kind: "kill" };

/** What was found about the traffic. */
export type Finding = Extract<FromCheck, { kind: "violation" | "failed" }>;

/** From the forwarding process; `ended`, or one of those with a reason, last. */
export type FromForwarding =
  | { readonly kind: "listening"; readonly port: number }
  | { readonly kind: "counts"; readonly taken: number; readonly open: number }
  /** It was told to stop; so many requests are on their way. */
  | { readonly kind: "stopping"; readonly open: number }
  | Finding
  | { readonly kind: "ended" }
  /** The reason is a sentence of its own, for the user, where it is about listening or checking. */
  | { readonly kind: "unreachable" | "cannot listen" | "cannot check"; readonly reason: string };
