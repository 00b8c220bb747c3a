import { expect, test } from "vitest";
import { clauseOf, resultOfClauses } from "../tests/support/results/made-results.ts";
import { demoSteps } from "./demo-steps.ts";

test("the steps of a demo are in order, each with its command, its verdict, how long it took and its report", () => {
  const { text } = demoSteps([
    { title: "Start", command: "assay mock" },
    {
      title: "Check",
      command: "assay conformance --failing-prompt '<p>'",
      outcome: { result: resultOfClauses([clauseOf("chat.status")]), href: "conformance/conformance.html" },
    },
  ]);
  expect(text.match(/<li>/g)).toHaveLength(2);
  expect(text.indexOf("assay mock")).toBeLessThan(text.indexOf("assay conformance"));
  expect(text).toContain('CONFORMS</span> 1 s · <a href="conformance/conformance.html">report</a>');
  expect(text).toContain("--failing-prompt &#39;&lt;p&gt;&#39;");
});
