/** Where a load is seen while it runs, and what is read of its target beside it. Not imported by k6 code. */

import { formatOutputs, OUTPUT_FORMS, type Output, parseOutputs } from "./outputs.ts";
import { formatScrapes, parseScrapes, parseSeriesPattern, type ScrapeSource } from "./scrape-source.ts";
import { type Codec, inGroup, rareSettingFor, settingFor } from "./setting.ts";
import { DURATION } from "./values.ts";

const SCRAPED =
  "Assay reads the metrics of the target itself, outside k6. Leave it out, and read them there by other means.";

const load = settingFor("load");
const rare = rareSettingFor("load");

const OUTPUTS: Codec<readonly Output[]> = {
  read: parseOutputs,
  write: formatOutputs,
  placeholder: "output",
  files: (outputs) => outputs.flatMap((output) => ("file" in output ? [output.file] : [])),
};
const SCRAPES: Codec<readonly ScrapeSource[]> = { read: parseScrapes, write: formatScrapes, placeholder: "url" };
const SERIES_PATTERN: Codec<RegExp> = {
  read: parseSeriesPattern,
  write: ({ source }) => source,
  placeholder: "regex",
};

export const OBSERVE_SETTINGS = inGroup("Outputs", {
  output: load(
    OUTPUTS,
    `where metrics go while the load runs: ${OUTPUT_FORMS}; credentials in the standard variables (docs/outputs.md)`,
    {
      repeatable: true,
      besideK6:
        "Assay sets the outputs of a k6 that it starts. Name those of the other k6 when it is started, such as sh run.sh results --out csv=samples.csv.",
    },
  ),
  scrape: load(
    SCRAPES,
    "read target metrics during the load, such as http://127.0.0.1:8000/metrics or NAME=URL; the report draws its queue, running requests and cache",
    { repeatable: true, besideK6: SCRAPED },
  ),
  scrapeSeries: rare(SERIES_PATTERN, "with --scrape: names of further metrics to read and draw", {
    besideK6: SCRAPED,
  }),
  scrapeInterval: rare(DURATION, "with --scrape: time between two readings", {
    default: "1s",
    besideK6: SCRAPED,
  }),
});
