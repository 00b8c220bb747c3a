/**
 * The one place where text leaves for the terminal: results on standard output, progress and notices on standard error,
 * all of it made harmless first. Plain Node, no dependency: set-up uses it before the packages are installed.
 */

import { printable as withoutControls } from "../../lib/printable.mjs";

/** Takes the secrets of this process out of what is printed; they are known once its settings are read. */
let withoutSecrets = (/** @type {string} */ text) => text;

/** Sets what takes secrets out of all that is printed from now on. */
export function printWithout(/** @type {(text: string) => string} */ redact) {
  withoutSecrets = redact;
}

const printable = (/** @type {string} */ text, colours = false) => withoutControls(withoutSecrets(text), colours);

const PLAIN_INTERVAL_MS = 10_000;
const REDRAW_MS = 200;

/** The width of a terminal that does not tell its own, or tells 0. */
const COLUMNS = 80;
/** Stays free beside a line that is rewritten: a terminal writes `^C` there, and breaks a line that is full. */
const FREE_COLUMNS = 3;

const CLEAR_LINE = "\r\u001b[K";
const CLEAR_LINE_ABOVE = "\u001b[A\u001b[K";
/**
 * The terminal whose last lines are rewritten in place: nothing else is printed on them. The cursor is at the end of the last.
 * @type {{ stream: Pick<NodeJS.WriteStream, "write">, lines: number } | undefined}
 */
let rewritten;

function clearLines() {
  rewritten?.stream.write(CLEAR_LINE + CLEAR_LINE_ABOVE.repeat(rewritten.lines - 1));
  rewritten = undefined;
}

/** Whether what is written to a stream may be coloured: with FORCE_COLOR, or on a terminal unless NO_COLOR or CI is set. */
export const coloured = (
  /** @type {NodeJS.ProcessEnv} */ env = process.env,
  /** @type {{ isTTY?: boolean }} */ stream = process.stdout,
) => (env.FORCE_COLOR ? env.FORCE_COLOR !== "0" : stream.isTTY === true && !env.NO_COLOR && !env.CI);

/** The same, of standard error. */
export const colouredProgress = () => coloured(process.env, process.stderr);

/**
 * With --json: the texts that were printed, and whether the JSON was. Undefined: no JSON is asked for.
 * @type {{ output: string, isPrinted: boolean } | undefined}
 */
let json;

/**
 * A command begins: it prints JSON alone on standard output and texts on standard error, or texts.
 * @param {boolean} isAsked whether it is JSON
 */
export function printJsonOnly(isAsked) {
  said.clear();
  json = isAsked ? { output: "", isPrinted: false } : undefined;
}

/** Prints a part of the result on standard output, as it is: line ends are the caller's. With --json on standard error. */
export function print(/** @type {string} */ text) {
  clearLines();
  if (json === undefined) return void process.stdout.write(printable(text, coloured()));
  json.output += text;
  process.stderr.write(printable(text));
}

/**
 * Prints the result of a command: its text, or with --json what `document` returns.
 * @param {string} text
 * @param {() => unknown} document a value, or the text of a JSON file
 */
export function printResult(text, document) {
  print(text);
  if (json !== undefined) printDocument(document());
}

/** One document is printed; what follows it is on standard error only. */
function printDocument(/** @type {unknown} */ value) {
  if (json === undefined || json.isPrinted) return;
  json.isPrinted = true;
  clearLines();
  process.stdout.write(printable(typeof value === "string" ? value : `${JSON.stringify(value, null, 2)}\n`));
}

/**
 * Prints an error on standard error; with --json also on standard output, unless the result is there.
 * @param {string} message a first line whose first sentence says what is wrong, and whose others say what to do
 * @param {string} code what kind of error it is
 */
export function printError(message, code) {
  notify(message);
  const [line = ""] = message.replace(/^error: /, "").split("\n");
  const [, sentence = line, hint] = /^(.*?[.!?])\s+(?=[A-Z])(.*)$/.exec(line) ?? [];
  printDocument({ error: { code, message: sentence, ...(hint !== undefined && { hint }) } });
}

/** With --json: prints the text of a command that has no other result. */
export function endOutput() {
  if (json !== undefined) printDocument({ exitCode: Number(process.exitCode ?? 0), output: json.output });
}

/**
 * Prints an annotation for the log of GitHub: the one workflow command that is meant. Its texts cannot end it, or begin another.
 * @param {{ kind: "error" | "warning", title: string, text: string }} annotation
 */
export function annotate({ kind, title, text }) {
  const data = (/** @type {string} */ each) =>
    printable(each).replace(/%/g, "%25").replace(/\r/g, "%0D").replace(/\n/g, "%0A");
  clearLines();
  const property = data(title).replace(/:/g, "%3A").replace(/,/g, "%2C");
  (json === undefined ? process.stdout : process.stderr).write(`::${kind} title=${property}::${data(text)}\n`);
}

/** Prints lines on standard error: warnings, errors, what to do. */
export function notify(/** @type {string} */ lines) {
  clearLines();
  process.stderr.write(`${printable(lines)}\n`);
}

/** What a command has said once. @type {Set<string>} */
const said = new Set();

/** Prints lines on standard error, unless this command has: it may read its settings more than once, and says where they come from once. */
export function notifyOnce(/** @type {string} */ lines) {
  if (!said.has(lines)) notify(lines);
  said.add(lines);
}

/** The message of an error, with what to do about it where this process may open no more files. */
export function startError(/** @type {unknown} */ error) {
  if (!(error instanceof Error)) return String(error);
  const { code } = /** @type {NodeJS.ErrnoException} */ (error);
  if (code !== "EMFILE") return error.message;
  return `Cannot open a file: ${error.message}. Raise the limit of open files (ulimit -n, or that of the service or container).`;
}

/**
 * Lines about what goes on; none with `--quiet`. `show` is for a passing state: its lines are rewritten in place on a terminal, and
 * are one line every ten seconds elsewhere. `say` is for what stays. `end` removes the rewritten lines.
 * @typedef {{ show(state: string | readonly string[]): void, say(line: string): void, end(): void }} Progress
 */

/**
 * Progress on standard error.
 * @param {boolean} quiet
 * @param {Pick<NodeJS.WriteStream, "isTTY" | "columns" | "write">} stream
 * @returns {Progress}
 */
export function progressOn(quiet = false, stream = process.stderr) {
  const terminal = stream.isTTY === true && !process.env.CI;
  const safe = (/** @type {string} */ line) => printable(line, coloured(process.env, stream));
  let shownAt = Number.NEGATIVE_INFINITY;
  const fitting = (/** @type {string} */ line) =>
    [...printable(line.replaceAll("\n", " "))]
      .slice(0, Math.max(1, (stream.columns || COLUMNS) - FREE_COLUMNS))
      .join("");
  return {
    show: (state) => {
      const lines = [state].flat();
      if (quiet || lines.length === 0) return;
      const line = lines.join("; ");
      if (terminal) {
        clearLines();
        stream.write(lines.map(fitting).join("\n"));
        rewritten = { stream, lines: lines.length };
      } else if (performance.now() - shownAt >= PLAIN_INTERVAL_MS) {
        shownAt = performance.now();
        stream.write(`${safe(line)}\n`);
      }
    },
    say: (line) => {
      clearLines();
      if (!quiet) stream.write(`${safe(line)}\n`);
    },
    end: clearLines,
  };
}

/**
 * Shows that a long step is under way until `done()`.
 * @param {string} title what is being done
 * @param {() => string} detail what is known of its progress, asked repeatedly
 */
export function showStep(title, detail) {
  const started = performance.now();
  const progress = progressOn();
  const seconds = () => `${Math.round((performance.now() - started) / 1000)} s`;
  const draw = () => progress.show([`${title}: ${seconds()}`, detail()].filter(Boolean).join(", "));
  progress.show(`${title} …`);
  const timer = setInterval(draw, REDRAW_MS);
  return {
    done(/** @type {string} */ outcome) {
      clearInterval(timer);
      progress.say(`${title}: ${outcome}, ${seconds()}`);
    },
  };
}
