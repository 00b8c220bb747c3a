/** The suite's progress: one line that moves on a terminal, few plain lines elsewhere. Summaries are the command's. */

import pc from "picocolors";
import type { Reporter, SerializedError, TestCase, TestModule } from "vitest/node";
import { plainLine } from "../lib/text.ts";
import { headline } from "./wording.ts";

const TICK_MS = 200;
const CLEAR_LINE = "\r\u001b[2K";

export default class AssayReporter implements Reporter {
  readonly #out = process.stderr;
  readonly #moving = this.#out.isTTY === true && !process.env["CI"];
  readonly #started = Date.now();
  #judged = 0;
  #total = 0;
  #blocked = 0;
  #ticker: NodeJS.Timeout | undefined;

  onTestModuleCollected(module: TestModule): void {
    this.#total += [...module.children.allTests()].length;
    if (!this.#moving) return;
    this.#ticker = setInterval(() => this.#progress(), TICK_MS);
    this.#progress();
  }

  onTestCaseResult(test: TestCase): void {
    this.#judged += 1;
    const { assay } = test.meta();
    if (assay === undefined) {
      const [error] = test.result().errors ?? [];
      if (error !== undefined) this.#line(`${test.name}: ${error.message}`, "bad");
    } else if (assay.verdict === "BLOCKED") {
      this.#blocked += 1;
    } else if (assay.verdict === "WARN" || assay.status === "failure" || assay.status === "error") {
      this.#line(headline(assay.id, assay), assay.verdict === "WARN" ? "mild" : "bad");
    }
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    clearInterval(this.#ticker);
    if (this.#moving) this.#out.write(CLEAR_LINE);
    const ours = modules.flatMap((module) => module.errors());
    for (const { message } of [...ours, ...errors]) this.#line(message, "bad");
    if (this.#blocked > 0) this.#line(`${this.#blocked} clauses were blocked by those above`, "mild");
    if (!this.#moving && this.#total > 0) this.#line(`${this.#judged} clauses, ${this.#seconds()} s`, "plain");
  }

  #line(text: string, tone: "bad" | "mild" | "plain"): void {
    const colours = pc.createColors(pc.isColorSupported && this.#moving);
    const paint = { bad: colours.red, mild: colours.yellow, plain: (plain: string): string => plain }[tone];
    this.#out.write(`${this.#moving ? CLEAR_LINE : ""}${paint(plainLine(text))}\n`);
  }

  #progress(): void {
    this.#out.write(`${CLEAR_LINE}${this.#judged} of ${this.#total} clauses judged, ${this.#seconds()} s`);
  }

  #seconds(): string {
    return ((Date.now() - this.#started) / 1000).toFixed(1);
  }
}
