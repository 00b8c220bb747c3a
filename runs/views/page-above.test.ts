import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createResultFolder } from "../../cli/result-folder.ts";
import { html } from "../../reports/page/html-template.ts";
import { page } from "../../reports/page/page.ts";
import { newFolder } from "../../tests/support/commands/assay-process.ts";
import { inFolder } from "./page-above.ts";

const PAGE = page({ title: "t", aside: "a", body: html`b` });
const linkIn = (text: string): string | undefined => /<a href="([^"]*)">↑ [^<]*<\/a>/.exec(text)?.[1];

test("the page of a result within a result links to the page that lists it", () => {
  const demo = createResultFolder(newFolder(), "demo");
  expect(linkIn(inFolder(PAGE, "html", createResultFolder(join(demo, "chat"), "chat")))).toBe("../index.html");

  const search = createResultFolder(newFolder(), "search");
  writeFileSync(join(search, "search.json"), "{}");
  expect(linkIn(inFolder(PAGE, "html", join(search, "run-01")))).toBe("../search.html");

  const calibration = createResultFolder(newFolder(), "calibrate");
  writeFileSync(join(calibration, "calibration.json"), "{}");
  expect(linkIn(inFolder(PAGE, "html", join(calibration, "25")))).toBe("../calibration.html");

  const load = createResultFolder(newFolder(), "load");
  expect(linkIn(inFolder(PAGE, "html", join(load, "check")))).toBe("../run.html");
});

test("a result of its own and a view that is no page stay as they are", () => {
  const own = join(newFolder(), "load");
  mkdirSync(own);
  expect(inFolder(PAGE, "html", own)).toBe(PAGE);
  const demo = createResultFolder(newFolder(), "demo");
  expect(inFolder("{}", "json", join(demo, "chat"))).toBe("{}");
});
