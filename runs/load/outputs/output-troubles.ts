/** What goes wrong with outputs while a load runs: said once, counted, and no error of the run. */

import { plural } from "../../../reports/numbers.ts";
import { formatOutput, type Output } from "../../../settings/outputs.ts";
import { LOGGED_AS } from "./output-plan.ts";

/** A line of k6's log about one of its outputs. */
export interface OutputTrouble {
  /** The output, as k6 names it. */
  readonly output: string;
  readonly reason: string;
}

/** Whether k6 names an output so. */
export const isOutput = (name: string): boolean => Object.hasOwn(LOGGED_AS, name);

/** Gathers the troubles of one run. */
export class OutputTroubles {
  readonly #outputs: readonly Output[];
  readonly #say: (sentence: string) => void;
  readonly #seen = new Map<string, { count: number; last: string }>();

  /** @param say tells the user at once, for the first trouble of each output */
  constructor(outputs: readonly Output[], say: (sentence: string) => void) {
    this.#outputs = outputs;
    this.#say = say;
  }

  readonly take = ({ output, reason }: OutputTrouble): void => {
    const name = this.#nameOf(output);
    const { count } = this.#seen.get(name) ?? { count: 0 };
    this.#seen.set(name, { count: count + 1, last: reason });
    if (count > 0) return;
    this.#say(
      `Cannot write to the output ${name}: ${reason}. The run goes on: its results in the result folder do not depend on it.`,
    );
  };

  /** A sentence per output that had troubles, for the end. */
  sentences(): readonly string[] {
    return [...this.#seen].map(
      ([name, { count, last }]) =>
        `The output ${name} failed ${plural(count, "time")}, so it may lack a part of the run; the results in the result folder are complete. The last reason: ${last}.`,
    );
  }

  #nameOf(logged: string): string {
    const own = this.#outputs.find(({ kind }) => kind === LOGGED_AS[logged]);
    return own === undefined ? logged : formatOutput(own);
  }
}
