/**
 * The secrets of clients whose traffic is recorded. Nobody names them: they are known by the names of headers and of the
 * parameters of addresses, that of the request and those in headers, and taken out of all that is written from then on, since a
 * target may repeat the key of one client to another.
 */

import type { Exchange } from "../../formats/exchanges.ts";
import { percentDecoded } from "../../lib/escapes.ts";
import { REDACTED, redactor } from "../../lib/redact.ts";
import { SHORTEST_SECRET } from "../../lib/secret-forms.ts";
import { secretsOfHeaders } from "../../lib/secret-sources.ts";
import { secretsOf } from "./target-connection.ts";
import { formWith, type WrittenForm } from "./written-exchange.ts";

/** Not `max_tokens`, `keyword`, `author` or `WWW-Authenticate`. */
const SECRET_NAME =
  /assertion|auth(?!or(?!i[sz])|enticate$)|cookie|credential|jwt|key(?!word|board)|passw|pwd|secret|session|signature|token(?!s|i[sz])|(?:^|[^a-z])(?:pass|sid|sig)(?:$|[^a-z])/i;
/** Made anew for each request, it would push the keys of clients out of what is remembered. */
const NO_SECRET = /^(?:x-)?idempotency-key$/i;

/** Of an authorization that is being asked for; a header of such a name is none. */
const SECRET_PARAMETER = /^code(?:[_-]verifier)?$/i;

/** Whether headers and parameters of this name hold secrets. */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name) && !NO_SECRET.test(name);
const isSecretParameter = (name: string): boolean => isSecretName(name) || SECRET_PARAMETER.test(name);

/** Different secrets that are remembered, and their characters; of more, the newest half. */
const MOST_SECRETS = 500;
const MOST_CHARACTERS = 256 * 1024;

/** The secrets of a run. */
export class TrafficSecrets {
  /** Those that were sent last come last. */
  readonly #known = new Set<string>();
  #characters = 0;
  #redact = redactor(secretsOf([]), []);
  #form = formWith(this.#redact);

  /** How exchanges and verdicts are written: without the secrets so far. */
  get form(): WrittenForm {
    return this.#form;
  }

  /** Remembers the secrets of an exchange, or of its request alone. */
  add(exchange: Pick<Exchange, "request" | "answer">): void {
    const secrets = secretsIn(exchange);
    const added = [...secrets].filter((secret) => !this.#known.has(secret));
    for (const secret of secrets) {
      this.#forget(secret);
      this.#known.add(secret);
      this.#characters += secret.length;
    }
    if (this.#isBeyond(1)) {
      for (const secret of this.#known) if (this.#isBeyond(1 / 2) && !secrets.has(secret)) this.#forget(secret);
      this.#redact = redactor([...secretsOf([]), ...this.#known], []);
      this.#form = formWith(this.#redact);
    } else if (added.length > 0) this.#redact.add(added);
  }

  #isBeyond(share: number): boolean {
    return this.#known.size > MOST_SECRETS * share || this.#characters > MOST_CHARACTERS * share;
  }

  #forget(secret: string): void {
    if (this.#known.delete(secret)) this.#characters -= secret.length;
  }
}

/** The secrets that an exchange has by the names of headers and query parameters, each one once. */
function secretsIn({ request, answer }: Pick<Exchange, "request" | "answer">): ReadonlySet<string> {
  const secrets = [
    ...Object.entries(request.headers).flatMap(([name, value]) =>
      isSecretName(name) ? secretsOfHeader(name, value) : [],
    ),
    ...secretParameters(request.url, ADDRESS),
    ...[...addressesIn(request.headers), ...addressesIn(answer?.headers)].flatMap((text) =>
      secretParameters(text, TEXT),
    ),
    ...cookiesIn(answer?.headers["set-cookie"] ?? ""),
  ];
  return new Set(
    secrets.map((secret) => secret.trim()).filter((secret) => Buffer.byteLength(secret) >= SHORTEST_SECRET),
  );
}

/** Credentials with one are as secret without it, and it is a word of many texts. */
const SCHEME = /^(?:bearer|basic|token|key|apikey)\s/i;

/** A value, and of several that are joined by commas each one: the credentials in it, and its parameters that are secret. */
function secretsOfHeader(name: string, value: string): string[] {
  const parts = [value, ...value.split(",")].map((part) => part.trim());
  if (name === "cookie") return parts.flatMap((part) => secretsOfHeaders({ cookie: part }));
  return parts.flatMap((part) => {
    const [, parameter = "", secret = ""] = /(?:^|\s)([\w-]+)="?([^"\s]*)"?$/.exec(part) ?? [];
    return [
      ...secretsOfHeaders({ [SCHEME.test(part) ? "authorization" : name]: part }),
      ...(isSecretName(parameter) ? [secret] : []),
    ];
  });
}

/** The values of cookies that a response sets. */
const cookiesIn = (header: string): string[] =>
  header.split(/,\s*(?=[^;,=\s]+=)/).flatMap((cookie) => /^[^=;]*=([^;]*)/.exec(cookie)?.[1] ?? []);

interface Parameter {
  /** As it is meant. */
  readonly name: string;
  /** As it is written. */
  readonly value: string;
}

/** The parameters of an address, each with what begins it: those of a query, of a path (`;`) and of a fragment (`#`). */
const ADDRESS = /([?&;#])([^&;#]*)/g;
/** The same of addresses within a text. */
const TEXT = /([?&;#])([^&;#\s<>"]*)/g;
/** Addresses within parameters of addresses that are looked into. */
const DEEPEST = 4;
/** The user and the password in an address. */
const USER = /(:\/\/)([^/?#\s@]+)@/g;

/** The parameters of an address; one without a name has the empty one. */
const parametersOf = (text: string, pattern: RegExp): readonly Parameter[] =>
  [...text.matchAll(pattern)].map(([, , pair = ""]) => parameterOf(pair));

function parameterOf(pair: string): Parameter {
  const sign = pair.indexOf("=");
  return { name: percentDecoded(pair.slice(0, Math.max(0, sign))), value: pair.slice(sign + 1) };
}

/** The values of secret parameters, also of those within others, and passwords of addresses. */
const secretParameters = (text: string, pattern: RegExp, depth = 0): string[] => [
  ...[...text.matchAll(USER)].flatMap(([, , user = ""]) => spellingsOf(user.slice(user.indexOf(":") + 1))),
  ...parametersOf(text, pattern).flatMap(({ name, value }) =>
    // A query may follow a parameter of a path, and be a part of the value elsewhere.
    isSecretParameter(name) ? [value, value.replace(/\?.*$/s, "")].flatMap(spellingsOf) : secretsWithin(value, depth),
  ),
];

/** The secrets of a value that is an address, or a list of parameters, in an encoding or as it is. */
function secretsWithin(value: string, depth: number): string[] {
  const meant = percentDecoded(value);
  if (depth >= DEEPEST || !/[=@]/.test(meant)) return [];
  return secretParameters(/[?#]/.test(meant) ? meant : `?${meant}`, ADDRESS, depth + 1);
}

/** The values of headers in which an address may be: all that are not a credential as a whole. */
const addressesIn = (headers: Readonly<Record<string, string>> = {}): string[] =>
  Object.entries(headers).flatMap(([name, value]) => (isSecretName(name) ? [] : [value]));

/** A value as it is written, and as it is meant. */
const spellingsOf = (value: string): string[] => [
  value,
  percentDecoded(value),
  percentDecoded(value.replaceAll("+", " ")),
];

/** The values of all parameters of an address. */
export const queryValues = (url: string): string[] =>
  parametersOf(url, ADDRESS).flatMap(({ value }) => spellingsOf(value));

/** An exchange whose secret headers and parameters of addresses have no values. @param allValues of no parameter */
export function withoutSecretValues(exchange: Exchange, allValues: boolean): Exchange {
  const { request, answer } = exchange;
  const url = withoutValues(request.url, ADDRESS, allValues);
  return {
    ...exchange,
    request: { ...request, url, headers: hidden(request.headers, allValues) },
    ...(answer && { answer: { ...answer, headers: hidden(answer.headers, allValues) } }),
  };
}

/** Headers that hold addresses; in others, `;` begins what is no secret, such as the charset of a content type. */
const OF_ADDRESS =
  /^(?:referr?er|origin|link|refresh|forwarded|(?:content-)?location)$|-(?:ur[il]|path|referr?er|origin)$/i;

const hidden = (headers: Readonly<Record<string, string>>, all: boolean): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      isSecretName(name)
        ? REDACTED
        : withoutValues(value, TEXT, all && (OF_ADDRESS.test(name) || value.includes("://"))),
    ]),
  );

const withoutValues = (text: string, pattern: RegExp, all: boolean): string =>
  text.replace(USER, `$1${REDACTED}@`).replace(pattern, (written, begin: string, pair: string) => {
    const { name, value } = parameterOf(pair);
    const isSecret = all || isSecretParameter(name) || secretsWithin(value, 0).length > 0;
    return value === "" || !isSecret ? written : begin + pair.slice(0, -value.length) + REDACTED;
  });
