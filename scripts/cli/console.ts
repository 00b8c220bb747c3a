/** What commands say: results on standard output, progress and notices on standard error. */

const PLAIN_INTERVAL_MS = 10_000;

/** Whether results may be coloured: on a terminal, unless NO_COLOR is set. */
export const coloured = (env: NodeJS.ProcessEnv = process.env): boolean =>
  process.stdout.isTTY === true && !env["NO_COLOR"] && !env["CI"];

/** A line about what goes on; silent with `--quiet`. */
export interface Progress {
  /** Shows a passing state: rewritten in place on a terminal, a line every ten seconds elsewhere. */
  show(line: string): void;
  /** Says something that stays. */
  say(line: string): void;
  /** Ends the rewritten line. */
  end(): void;
}

/** Progress on standard error. */
export function progressOn(stream: NodeJS.WriteStream = process.stderr, quiet = false): Progress {
  const terminal = stream.isTTY === true && !process.env["CI"];
  let shownAt = Number.NEGATIVE_INFINITY;
  let open = false;
  const end = (): void => {
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
