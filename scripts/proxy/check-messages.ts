/** What the thread that passes traffic on and the thread that checks it tell each other. */

import type { SeenExchange } from "../../proxy/recorded-exchange.ts";

/** What the checking thread is started with. */
export interface CheckSettings {
  readonly folder: string;
  readonly target: string;
  /** As they are written into results. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly profile: "service" | "openai";
  readonly only: string | undefined;
  readonly baseline: string | undefined;
  readonly redactBodies: boolean;
}

export type Side = "request" | "response";

/** To the checking thread. */
export type ToCheck =
  | { readonly kind: "body"; readonly id: number; readonly side: Side; readonly bytes: Uint8Array }
  | { readonly kind: "exchange"; readonly id: number; readonly seen: SeenExchange }
  | { readonly kind: "end"; readonly unchecked: number };

/** From the checking thread. */
export type FromCheck =
  | { readonly kind: "ready" }
  /** An exchange was checked, and its bodies are no longer held. */
  | { readonly kind: "checked"; readonly id: number }
  | {
      readonly kind: "violation";
      readonly clause: string;
      readonly verdict: string;
      readonly reason: string;
      readonly count: number;
      readonly request: string;
    }
  /** A file could not be written, or a violation could not be looked for. */
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "ended" };
