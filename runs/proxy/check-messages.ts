/** What the process that passes traffic on and the process that checks it tell each other. */

import type { RecordedCheckSettings } from "../../formats/exchanges.ts";
import type { SeenExchange } from "../../proxy/recorded-exchange.ts";
import type { SeenRequest } from "../../proxy/tap.ts";

/** What traffic is checked with. */
export interface CheckSettings {
  readonly folder: string;
  readonly target: string;
  /** As they are written into results. */
  readonly settings: RecordedCheckSettings;
  readonly profile: "service" | "openai";
  readonly only: string | undefined;
  readonly baseline: string | undefined;
  readonly redactBodies: boolean;
  /** The file that gets the traffic as a trace, and the header that names the tenant of a request. */
  readonly trace?: string | undefined;
  readonly tenantHeader?: string | undefined;
}

/**
 * When the chunks of a response came, in milliseconds from the arrival of the request, and their lengths in bytes. Two lists of
 * numbers, and not one of objects: while a stream is open they are held where garbage collection delays the traffic.
 */
export interface ChunkLists {
  readonly timesMs: number[];
  readonly bytes: number[];
}

type SeenResponse = NonNullable<SeenExchange["response"]>;

/** An exchange as it is handed over, after its request. */
export interface HandedExchange extends Omit<SeenExchange, "request" | "response"> {
  readonly response?: Omit<SeenResponse, "chunks"> & ChunkLists;
}

/** What was not handed over before of the bodies of an exchange. */
export type LastParts = Readonly<Record<Side, Uint8Array>>;

export type Side = "request" | "response";

/** To the checking process; `begin` first, `end` last. */
export type ToCheck =
  | { readonly kind: "begin"; readonly settings: CheckSettings }
  /** At once, since another exchange that ends before may repeat the secrets of this one. */
  | { readonly kind: "request"; readonly id: number; readonly request: SeenRequest }
  | { readonly kind: "body"; readonly id: number; readonly side: Side; readonly bytes: Uint8Array }
  /** Of this exchange no body is to be held, or nothing at all. */
  | { readonly kind: "drop"; readonly id: number; readonly what: "bodies" | "all" }
  | { readonly kind: "exchange"; readonly id: number; readonly seen: HandedExchange; readonly last: LastParts }
  | { readonly kind: "end"; readonly unchecked: number };

/** From the checking process. */
export type FromCheck =
  | { readonly kind: "ready" }
  /** An exchange was checked, and its bodies are no longer held. */
  | { readonly kind: "checked"; readonly id: number }
  | { readonly kind: "dropped"; readonly id: number; readonly what: "bodies" | "all" }
  | {
      readonly kind: "violation";
      readonly clause: string;
      readonly verdict: string;
      readonly reason: string;
      readonly count: number;
      readonly request: string;
    }
  /** A file could not be written, or an exchange could not be checked. The reason is a sentence without its full stop. */
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "ended" };
