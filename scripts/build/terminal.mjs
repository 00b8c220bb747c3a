/**
 * What set-up says while it works: one rewritten line on a terminal, a plain line now and then elsewhere.
 * Plain Node, no dependency: it runs before `npm ci`.
 */

const PLAIN_INTERVAL_MS = 15_000;

/**
 * Shows that a long step is under way until `done()`.
 * @param {string} title what is being done
 * @param {() => string} detail what is known of its progress, asked again and again
 */
export function showProgress(title, detail) {
  const started = Date.now();
  const terminal = process.stderr.isTTY === true && process.env.CI === undefined;
  const line = () => `${title}: ${Math.round((Date.now() - started) / 1000)} s${suffix(detail())}`;
  const timer = setInterval(
    () => process.stderr.write(terminal ? `\r\u001b[K${line()}` : `${line()}\n`),
    terminal ? 200 : PLAIN_INTERVAL_MS,
  );
  if (!terminal) process.stderr.write(`${title} …\n`);
  return {
    done(/** @type {string} */ outcome) {
      clearInterval(timer);
      process.stderr.write(
        `${terminal ? "\r\u001b[K" : ""}${title}: ${outcome}, ${Math.round((Date.now() - started) / 1000)} s\n`,
      );
    },
  };
}

const suffix = (/** @type {string} */ detail) => (detail === "" ? "" : `, ${detail}`);
