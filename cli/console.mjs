/**
 * The one place where text leaves for the terminal: results on standard output, progress and notices on standard error,
 * all of it made harmless first. Plain Node, no dependency: set-up uses it before the packages are installed.
 */

import { cutTo, printable as withoutControls } from "../lib/printable.mjs";

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
/** The height of a terminal that does not tell its own. */
const ROWS = 24;

/** A terminal that knows it shows what lies between all at once; others ignore it. */
const ALL_AT_ONCE = ["\u001b[?2026h", "\u001b[?2026l"];
const CLEAR_LINE = "\u001b[K";
const CLEAR_BELOW = "\u001b[J";

/**
 * The last lines of a terminal, which are rewritten in place: nothing else is printed on them. The cursor is at their beginning, so
 * that neither what another program prints, nor how a terminal wraps lines when it becomes narrower, moves where they begin.
 * @type {{ stream: Terminal, linesOf: LinesOf, stays: boolean, drawn: number } | undefined}
 */
let rewritten;

const redraw = () => draw();

/** Draws the lines that are rewritten, below a text that stays, by one write. */
function draw(above = "") {
  if (rewritten === undefined) return;
  const { stream, linesOf } = rewritten;
  // The last column stays free: some terminals begin a new line once it is full.
  const size = { columns: Math.max(1, (stream.columns || COLUMNS) - 1), rows: Math.max(1, (stream.rows || ROWS) - 1) };
  const lines = linesOf(size)
    .slice(0, size.rows)
    .map(
      (line) =>
        cutTo(printable(line.replace(/[\t\n]/g, " "), coloured(process.env, stream)), size.columns) + CLEAR_LINE,
    );
  const up = lines.length > 1 ? `\u001b[${lines.length - 1}A` : "";
  const [begin, end] = ALL_AT_ONCE;
  stream.write(`${begin}\r${above && CLEAR_BELOW + above}${lines.join("\n")}${CLEAR_BELOW}\r${up}${end}`);
  rewritten.drawn = lines.length;
}

/** Removes the lines that are rewritten, or leaves them, and an empty one, where they stay. */
function endLines() {
  if (rewritten === undefined) return;
  const { stream, stays, drawn } = rewritten;
  stream.write(stays ? "\n".repeat(drawn + 1) : `\r${CLEAR_BELOW}`);
  stream.off?.("resize", redraw);
  process.off("exit", endLines);
  rewritten = undefined;
}

/** Writes whole lines, above those that are rewritten. */
function writeAbove(/** @type {Pick<NodeJS.WriteStream, "write">} */ stream, /** @type {string} */ text) {
  if (rewritten === undefined) stream.write(text);
  else if (rewritten.stream === stream) draw(text);
  else {
    rewritten.stream.write(`\r${CLEAR_BELOW}`);
    stream.write(text);
    draw();
  }
}

/** Whether lines are rewritten in place on a stream. */
export const rewrites = (/** @type {{ isTTY?: boolean }} */ stream = process.stderr) =>
  stream.isTTY === true && !process.env.CI && process.env.TERM !== "dumb";

/** Whether what is written to a stream may be coloured: with FORCE_COLOR, or on a terminal unless NO_COLOR, CI or TERM=dumb is set. */
export const coloured = (
  /** @type {NodeJS.ProcessEnv} */ env = process.env,
  /** @type {{ isTTY?: boolean }} */ stream = process.stdout,
) =>
  env.FORCE_COLOR ? env.FORCE_COLOR !== "0" : stream.isTTY === true && !env.NO_COLOR && !env.CI && env.TERM !== "dumb";

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
  endLines();
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
  endLines();
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
  endLines();
  const property = data(title).replace(/:/g, "%3A").replace(/,/g, "%2C");
  (json === undefined ? process.stdout : process.stderr).write(`::${kind} title=${property}::${data(text)}\n`);
}

/** Prints lines on standard error: warnings, errors, what to do. */
export function notify(/** @type {string} */ lines) {
  writeAbove(process.stderr, `${printable(lines)}\n`);
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
 * Lines about what goes on; none with `--quiet`. `show` is for a passing state: its lines, or those that `linesOf` makes of it, are
 * rewritten in place on a terminal, and are one line every ten seconds elsewhere. `say` is for what stays. `end` removes the
 * rewritten lines.
 * @typedef {Partial<Record<"on" | "off", (event: "resize", listener: () => void) => unknown>>} Resized
 * @typedef {Pick<NodeJS.WriteStream, "isTTY" | "columns" | "write"> & { rows?: number } & Resized} Terminal
 * @typedef {(size: { readonly columns: number, readonly rows: number }) => readonly string[]} LinesOf what fits a terminal
 * @typedef {{ show(state: string | readonly string[], linesOf?: LinesOf): void, say(line: string): void, end(): void }} Progress
 */

/**
 * Progress on standard error.
 * @param {boolean} quiet
 * @param {Terminal} stream
 * @param {boolean} stays whether the last lines that `linesOf` made are left where they are at the end
 * @returns {Progress}
 */
export function progressOn(quiet = false, stream = process.stderr, stays = false) {
  const terminal = rewrites(stream);
  const safe = (/** @type {string} */ line) => printable(line, coloured(process.env, stream));
  let shownAt = Number.NEGATIVE_INFINITY;
  return {
    show: (state, linesOf) => {
      const lines = [state].flat();
      if (quiet || lines.length === 0) return;
      if (terminal) {
        if (rewritten?.stream !== stream) {
          endLines();
          stream.on?.("resize", redraw);
          process.on("exit", endLines);
        }
        rewritten = { stream, linesOf: linesOf ?? (() => lines), stays: stays && linesOf !== undefined, drawn: 0 };
        draw();
      } else if (performance.now() - shownAt >= PLAIN_INTERVAL_MS) {
        shownAt = performance.now();
        stream.write(`${safe(lines.join("; "))}\n`);
      }
    },
    say: (line) => {
      if (!quiet) writeAbove(stream, `${safe(line)}\n`);
    },
    end: endLines,
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
      progress.end();
      progress.say(`${title}: ${outcome}, ${seconds()}`);
    },
  };
}
