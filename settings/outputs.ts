/** Where the metrics of a load go while it runs, beside the result folder: `--output`. Pure. */

import { didYouMean } from "./nearest.ts";
import { UsageError } from "./usage-error.ts";

/** An output, by its kind. */
export type Output =
  | { readonly kind: "web-dashboard" }
  | { readonly kind: "prometheus" | "otlp"; readonly url: string }
  | { readonly kind: "csv" | "json"; readonly file: string };

/** What stands after the equals sign of each kind. */
const ARGUMENTS = {
  "web-dashboard": undefined,
  prometheus: "URL",
  otlp: "URL",
  csv: "FILE",
  json: "FILE",
} as const satisfies Record<Output["kind"], string | undefined>;
const KINDS = Object.keys(ARGUMENTS);

/** The forms of an output, for help and errors. */
export const OUTPUT_FORMS = Object.entries(ARGUMENTS)
  .map(([kind, argument]) => (argument === undefined ? kind : `${kind}=${argument}`))
  .join(", ");

/** A comma within the name of a file does not end it. */
const SEPARATOR = new RegExp(`,(?=\\s*(?:${KINDS.join("|")})(?:=|\\s*(?:,|$)))`);

/**
 * Reads outputs such as `web-dashboard,csv=samples.csv`.
 * @throws UsageError that says how an output is written, or which one is given twice
 */
export function parseOutputs(text: string): readonly Output[] {
  const outputs = text.split(SEPARATOR).map((one) => parseOutput(one.trim()));
  const kinds = outputs.map(({ kind }) => kind);
  const twice = kinds.find((kind, index) => kinds.indexOf(kind) !== index);
  if (twice !== undefined) throw new UsageError(`${twice} is given twice; each output can be used once`);
  return outputs;
}

function parseOutput(text: string): Output {
  const [, name = "", given = ""] = /^([^=]*)=?(.*)$/s.exec(text) ?? [];
  const kind = name.trim();
  if (!isKind(kind)) {
    throw new UsageError(`"${kind}" is not an output. ${didYouMean(kind, KINDS, "Outputs")} Write ${OUTPUT_FORMS}`);
  }
  const value = given.trim();
  if (kind === "web-dashboard") {
    if (value === "") return { kind };
    throw new UsageError(
      "web-dashboard takes no value; its address is set with K6_WEB_DASHBOARD_HOST and K6_WEB_DASHBOARD_PORT",
    );
  }
  if (kind === "csv" || kind === "json") {
    if (value !== "" && value !== "-") return { kind, file: value };
    throw new UsageError(`${kind} needs a file, such as ${kind}=samples.${kind}`);
  }
  return { kind, url: receiverUrl(kind, value) };
}

const isKind = (name: string): name is Output["kind"] => Object.hasOwn(ARGUMENTS, name);

const EXAMPLES = { prometheus: "http://127.0.0.1:9090/api/v1/write", otlp: "http://127.0.0.1:4318" } as const;
const CREDENTIALS = {
  prometheus:
    "K6_PROMETHEUS_RW_USERNAME and K6_PROMETHEUS_RW_PASSWORD, K6_PROMETHEUS_RW_BEARER_TOKEN, or K6_PROMETHEUS_RW_HTTP_HEADERS",
  otlp: "OTEL_EXPORTER_OTLP_HEADERS",
} as const;

/** An address without anything secret, for it is printed. */
function receiverUrl(kind: "prometheus" | "otlp", text: string): string {
  if (/[?#@]/.test(text)) {
    throw new UsageError(
      `the address of ${kind} contains a user, a query or a fragment, where a key could be, and others can read it; write it without, and pass credentials in ${CREDENTIALS[kind]}`,
    );
  }
  if (!/^https?:\/\/[^\s/]+(?:\/\S*)?$/i.test(text) || !URL.canParse(text)) {
    throw new UsageError(`${kind} needs the address of a receiver, such as ${kind}=${EXAMPLES[kind]}`);
  }
  return text.replace(/\/+$/, "");
}

/** Writes outputs the way `parseOutputs` reads them. */
export const formatOutputs = (outputs: readonly Output[]): string => outputs.map(formatOutput).join(",");

/** An output as the user writes it. */
export function formatOutput(output: Output): string {
  if ("url" in output) return `${output.kind}=${output.url}`;
  return "file" in output ? `${output.kind}=${output.file}` : output.kind;
}
