/** The first run of each side over time, under each other and on the same axes. */

import type { CompareResult } from "../../../formats/compare.ts";
import type { RunResult } from "../../../formats/run.ts";
import { sentence } from "../../../lib/text.ts";
import { runStrip } from "../../load/views/run-strip.ts";
import { marksInWords, stripMarks } from "../../load/views/strip-marks.ts";
import { type Html, html } from "../../page/html-template.ts";

/** The first run of each side. */
export interface FirstRuns {
  readonly base?: RunResult | undefined;
  readonly new?: RunResult | undefined;
}

/** The strips of those that have data over time. */
export function bothStrips(result: CompareResult, { base, new: next }: FirstRuns): Html {
  const sides = [
    { side: "base", run: base },
    { side: "new", run: next },
  ] as const;
  const runs = sides.flatMap(({ run }) => run ?? []);
  const ids = ["strip", "strip-new"];
  const drawn = sides.flatMap(({ side, run }) => {
    const strip = run && runStrip(run, [], runs, ids[0]);
    if (run === undefined || strip === undefined) return [];
    ids.shift();
    const { length } = result[side];
    return [
      html`<h3>${side}: <code>${result[side][0]}</code>${length > 1 ? `, the first of ${length} runs` : ""}</h3>${strip}<p class="dim small">${sentence(marksInWords(stripMarks(run)))}</p>`,
    ];
  });
  return drawn.length === 0
    ? html``
    : html`
<h2>Over time</h2>
<section class="card">${drawn}</section>
`;
}
