/**
 * What is printed while Assay works: progress and notices on standard error, results on standard output.
 * Plain Node, no dependency: set-up uses it before the packages are installed.
 */

const PLAIN_INTERVAL_MS = 10_000;
const REDRAW_MS = 200;

/** Whether results may be coloured: on a terminal, unless NO_COLOR or CI is set. */
export const coloured = (/** @type {NodeJS.ProcessEnv} */ env = process.env) =>
  process.stdout.isTTY === true && !env.NO_COLOR && !env.CI;

/**
 * Lines about what goes on; none with `--quiet`. `show` is for a passing state: rewritten in place on a terminal, a line
 * every ten seconds elsewhere. `say` is for what stays. `end` removes the rewritten line.
 * @typedef {{ show(line: string): void, say(line: string): void, end(): void }} Progress
 */

/**
 * Progress on a stream.
 * @param {NodeJS.WriteStream} stream
 * @param {boolean} quiet
 * @returns {Progress}
 */
export function progressOn(stream = process.stderr, quiet = false) {
  const terminal = stream.isTTY === true && !process.env.CI;
  let shownAt = Number.NEGATIVE_INFINITY;
  let open = false;
  const end = () => {
    if (open) stream.write("\r\u001b[K");
    open = false;
  };
  return {
    show: (line) => {
      if (quiet) return;
      if (terminal) {
        stream.write(`\r\u001b[K${line.slice(0, Math.max(20, (stream.columns ?? 80) - 1))}`);
        open = true;
      } else if (Date.now() - shownAt >= PLAIN_INTERVAL_MS) {
        shownAt = Date.now();
        stream.write(`${line}\n`);
      }
    },
    say: (line) => {
      end();
      if (!quiet) stream.write(`${line}\n`);
    },
    end,
  };
}

/**
 * Shows that a long step is under way until `done()`.
 * @param {string} title what is being done
 * @param {() => string} detail what is known of its progress, asked repeatedly
 */
export function showStep(title, detail) {
  const started = Date.now();
  const progress = progressOn();
  const seconds = () => `${Math.round((Date.now() - started) / 1000)} s`;
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
