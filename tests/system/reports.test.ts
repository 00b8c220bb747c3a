/** The pages of a demo in a real browser: complete without a network, without console errors, in light and dark mode. */

import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import type { RunResult } from "../../formats/run.ts";
import { loadHtml } from "../../reports/load/views/html.ts";
import { assay, newFolder } from "../support/commands/assay-process.ts";
import { makeRun, unanswered } from "../support/results/load-run.ts";
import { summarizeWithPoints } from "../support/results/summarize-shards.ts";

const folder = newFolder();
const several = newFolder();
const matrix = join(several, "matrix");
/** A clause of the second of several results. */
const FAILED = "chat.response.id";
let browser: Browser;

beforeAll(async () => {
  const { code, stderr, stdout } = await assay(["demo", "--out", folder]);
  // The pages are the subject here: on a busy machine, a load generator that was late says so and ends with 2.
  expect(code, stderr + stdout).toBe(stdout.includes("INCONCLUSIVE") ? 2 : 0);
  // The same result, in which a clause failed.
  cpSync(join(folder, "conformance"), join(several, "other"), { recursive: true });
  const verdicts = join(several, "other", "verdicts.jsonl");
  const lines = readFileSync(verdicts, "utf8").split("\n");
  const edited = lines.map((line) =>
    line.startsWith(`{"id":"${FAILED}"`) ? line.replace('"verdict":"PASS"', '"verdict":"FAIL"') : line,
  );
  writeFileSync(verdicts, edited.join("\n"));
  const compared = await assay(["report", join(folder, "conformance"), join(several, "other"), "--out", matrix]);
  expect(compared.code, compared.stderr).toBe(1);
  browser = await chromium.launch({
    executablePath: process.env["ASSAY_TEST_CHROMIUM"] ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
});
afterAll(() => browser?.close());
/** A page that stays open goes on being drawn. */
afterEach(() => Promise.all(browser.contexts().map((context) => context.close())));

interface Opened {
  readonly page: Page;
  /** Requests for anything but the file itself, and messages of the console. */
  readonly problems: readonly string[];
}

const WHOLE = { width: 1200, height: 900 };
const UNFOLD = `for (const details of document.querySelectorAll("details")) details.open = true`;

async function open(file: string, javaScriptEnabled = true): Promise<Opened> {
  const page = await browser.newPage({ colorScheme: "light", javaScriptEnabled, viewport: WHOLE });
  const problems: string[] = [];
  const address = pathToFileURL(resolve(folder, file)).href;
  page.on("console", (message) => problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith("file:") && !request.url().startsWith("data:")) problems.push(request.url());
  });
  await page.goto(address);
  return { page, problems };
}

/** Opens what is folded, too. */
async function openAll(file: string): Promise<Opened> {
  const opened = await open(file);
  await opened.page.evaluate(UNFOLD);
  return opened;
}

const pages = [
  "index.html",
  "conformance/conformance.html",
  "conformance/specification.html",
  "chat-stream/run.html",
  "video/run.html",
  join(matrix, "index.html"),
  join(matrix, "specification.html"),
];

const violations = z.array(
  z.object({ id: z.string(), help: z.string(), nodes: z.array(z.object({ html: z.string() })) }),
);

/** Leaves the first three of many elements of one kind, such as clauses and rows: each takes the program as long as the first. */
const FIRST_OF_MANY = `
for (const parent of document.querySelectorAll("body *")) {
  const counts = new Map();
  for (const child of [...parent.children]) {
    const kind = child.tagName + " " + child.className;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    if (counts.get(kind) > 3) child.remove();
  }
}`;

/** Made of results that no demo has. */
const golden = [
  "load/views/golden/bad.html",
  "load/views/golden/bad.card.html",
  "compare/views/golden/worse.html",
  "search/golden/search.html",
  "search/golden/searches.html",
  "runs/golden/runs.html",
].map((file) => resolve("reports", file));

/** What the program finds wrong with a page. @param options such as the only rules that it asks */
async function wrongWith(page: Page, options: object = {}): Promise<readonly string[]> {
  const found = await page.evaluate(`axe.run(${JSON.stringify(options)}).then(({ violations }) => violations)`);
  return violations
    .parse(found)
    .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.length} times, ${nodes[0]?.html}`);
}

test.each([...pages, ...golden])(
  "%s is complete alone, follows the colour scheme, fits a narrow screen and paper, and can be used by everybody, as far as a program can tell",
  async (file) => {
    const { page, problems } = await open(file);
    expect(await page.title()).toContain("Assay");
    const background = (): Promise<string> => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const light = await background();
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await background()).not.toBe(light);
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    await page.setViewportSize({ width: 718, height: 1000 });
    await page.emulateMedia({ media: "print" });
    const wide = await page
      .locator("table:visible")
      .evaluateAll((tables) => tables.filter((table) => table.getBoundingClientRect().right > 718).length);
    expect(wide).toBe(0);
    expect(problems).toEqual([]);
    await page.emulateMedia({ media: "screen", colorScheme: "light" });
    await page.setViewportSize(WHOLE);
    await page.evaluate(UNFOLD);
    await page.evaluate(FIRST_OF_MANY);
    await page.evaluate(axe.source);
    expect(await wrongWith(page)).toEqual([]);
    // All that the colours decide.
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await wrongWith(page, { runOnly: ["color-contrast", "link-in-text-block"] })).toEqual([]);
  },
);

test("a long word of a target is broken, so that the page fits a narrow screen", async () => {
  const { page } = await open("chat-stream/run.html");
  await page.setViewportSize({ width: 390, height: 800 });
  await page.evaluate(`document.querySelector(".verdict p").textContent = "x".repeat(200)`);
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
});

test("the overview links to every report", async () => {
  const { page } = await open("index.html");
  const links = await page.locator("a").evaluateAll((anchors) => anchors.map((anchor) => anchor.getAttribute("href")));
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders).toHaveLength(6);
  for (const { name } of folders) expect(links.some((link) => link?.startsWith(`${name}/`))).toBe(true);
  await page.locator('a[href="chat-stream/run.html"]').first().click();
  expect(await page.title()).toContain("chat-stream");
});

test("a load's charts are drawn", async () => {
  const { page } = await openAll("chat-stream/run.html");
  const sizes = await page
    .locator("figure.plot:not(.strip) svg:visible")
    .evaluateAll((charts) => charts.map((chart) => chart.getBoundingClientRect().height));
  expect(sizes.length).toBeGreaterThanOrEqual(4);
  for (const height of sizes) expect(height).toBeGreaterThan(100);
});

test("dragging over the time of a plot zooms all plots over time, and a double click shows all again", async () => {
  const { page, problems } = await openAll("chat-stream/run.html");
  const plots = page.locator("figure.plot:visible");
  const [zoomed, other] = [plots.filter({ hasText: "Requests over time" }), plots.filter({ hasText: "in flight" })];
  const viewBox = (plot: typeof zoomed) => plot.first().locator("svg").first().getAttribute("viewBox");
  const labels = () => other.first().locator(".x span").allInnerTexts();
  const before = await labels();
  const frame = zoomed.first().locator("svg").first();
  await frame.scrollIntoViewIfNeeded();
  const box = await frame.boundingBox();
  if (box === null) throw new Error("The plot is not drawn.");
  await page.mouse.move(box.x + 0.25 * box.width, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.75 * box.width, box.y + 20, { steps: 4 });
  await page.mouse.up();
  for (const plot of [zoomed, other]) {
    const [left = 0, , width = 0] = (await viewBox(plot))?.split(" ").map(Number) ?? [];
    expect([Math.round(left / 10), Math.round(width / 10)]).toEqual([25, 50]);
  }
  expect(await labels()).not.toEqual(before);
  await frame.dblclick();
  expect(await viewBox(other)).toBe("0 0 1000 1000");
  expect(await labels()).toEqual(before);
  expect(problems).toEqual([]);
});

test("an entry of a legend hides its line and shows it again, by mouse and by key", async () => {
  const { page, problems } = await openAll("chat-stream/run.html");
  const plot = page.locator("figure.plot:visible").filter({ hasText: "Requests over time" }).first();
  const entry = plot.getByRole("button", { name: "offered", exact: true });
  // A line of a constant rate has no height, so that a browser does not take it for visible.
  const isHidden = async () =>
    (await plot.locator('g[data-layer="0"]').getAttribute("style"))?.includes("display: none");
  expect(await isHidden()).toBe(false);
  await entry.click();
  expect([await entry.getAttribute("aria-pressed"), await isHidden()]).toEqual(["false", true]);
  await page.keyboard.press("Enter");
  expect([await entry.getAttribute("aria-pressed"), await isHidden()]).toEqual(["true", false]);
  expect(problems).toEqual([]);
});

test("the pointer shows the figures of its second, and a logarithmic axis has other labels", async () => {
  const { page, problems } = await openAll("chat-stream/run.html");
  const plot = page.locator("figure.plot:visible").filter({ hasText: "Requests over time" }).first();
  await plot.locator("svg").first().hover();
  expect(await plot.locator(".tip").innerText()).toMatch(/offered \/s\s+[\d.]+/);
  const latency = page
    .locator("figure.plot:visible")
    .filter({ has: page.getByRole("button", { name: /^Logarithmic/ }) });
  const labels = () => latency.first().locator(".y span").allInnerTexts();
  const before = await labels();
  const button = latency.first().getByRole("button", { name: /^Logarithmic/ });
  await button.click();
  expect(await labels()).not.toEqual(before);
  await button.click();
  expect(await labels()).toEqual(before);
  expect(problems).toEqual([]);
});

/** A page of chats and embeddings for 60 s, of which every 40th is refused; its charts, failures and requests are unfolded. */
async function pageOfPoints(): Promise<Opened & { readonly run: RunResult }> {
  const run = await summarizeWithPoints({
    ...{ slos: [], target: "http://t", shape: "50/s", tool: "assay 0.1.0", scenario: "load" },
    shards: [
      makeRun({
        ...{ rate: 50, warmupS: 0, durationS: 60 },
        change: ({ gaps_us, ...record }, index) => {
          const of = index % 2 === 0 ? record : { ...record, op: "embeddings" as const };
          return index % 40 === 0 ? { ...unanswered(of), op: of.op } : of;
        },
      }),
    ],
  });
  writeFileSync(join(folder, "points.html"), loadHtml(run));
  return { ...(await openAll("points.html")), run };
}

/** Where in its width and height a plot is pointed at. */
async function placeIn(page: Page, plot: string, across: number, down = 0.5): Promise<[number, number]> {
  const frame = page.locator(`${plot} svg`).first();
  await frame.scrollIntoViewIfNeeded();
  const { x, y, width, height } = (await frame.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  return [x + across * width, y + down * height];
}

test("a range narrows charts, failures and requests, has exact figures, and stays in the address", async () => {
  const { page, problems, run } = await pageOfPoints();
  await page.mouse.move(...(await placeIn(page, "#plot-outcomes", 0.25)));
  await page.mouse.down();
  await page.mouse.move(...(await placeIn(page, "#plot-outcomes", 0.75)), { steps: 3 });
  await page.mouse.up();
  const told = page.getByRole("region", { name: "Range of time" });
  const text = await told.innerText();
  const [from = 0, to = 0] = (/^([\d.]+) s to ([\d.]+) s/.exec(text)?.slice(1) ?? []).map(Number);
  expect([Math.round(from), Math.round(to)]).toEqual([15, 46]);
  const { sentMs = [], kind = [], kinds = [] } = run.points ?? {};
  const within = kind.filter((_, index) => (sentMs[index] ?? 0) >= from * 1_000 && (sentMs[index] ?? 0) <= to * 1_000);
  const refused = within.filter((each) => kinds[each]?.outcome === "refused").length;
  expect(text).toContain(`: ${within.length.toLocaleString("en-US")} requests sent, ${refused} failed; `);
  expect(text).toMatch(/p50 \d[\d.]* ms, p95 \d[\d.]* ms, p99 \d[\d.]* ms; exact/);
  expect(await page.locator("table.failures tbody td").nth(1).innerText()).toMatch(new RegExp(`^${refused} of \\d+$`));
  const listed = page.locator("#requests-failed tbody tr");
  const shown = await listed.evaluateAll((rows) =>
    rows.filter((row) => row.checkVisibility()).map((row) => Number(row.dataset["t"])),
  );
  expect(shown.length).toBeGreaterThan(0);
  expect(shown.length).toBeLessThan(await listed.count());
  for (const t of shown) expect(t >= from && t <= to).toBe(true);
  expect(await page.evaluate("location.hash")).toBe(`#t=${from}-${to}`);
  await page.reload();
  expect(await told.innerText()).toBe(text);
  await page.locator("#strip .frame").press("Escape");
  expect([await told.isVisible(), await page.evaluate("location.hash")]).toEqual([false, ""]);
  expect(problems).toEqual([]);
});

test("the moment of one chart is that of all over time, by pointer and by key, and keys choose a range", async () => {
  const { page, problems } = await pageOfPoints();
  const lines = async () =>
    z.array(z.number()).parse(
      await page.evaluate(`[...document.querySelectorAll("figure.plot[data-x$=' s']")].filter((plot) => plot.checkVisibility())
        .map((plot) => Number.parseFloat(plot.querySelector(".cursor").style.left))`),
    );
  await page.mouse.move(...(await placeIn(page, "#plot-open", 0.5)));
  const places = await lines();
  expect(places.length).toBeGreaterThan(4);
  for (const place of places) expect(Math.abs(place - 50)).toBeLessThan(0.5);
  expect(await page.locator("#plot-cpu .tip").innerText()).toMatch(/cores\s+0\.\d/);
  await page.mouse.move(0, 0);
  await page.locator("#plot-cpu .frame").focus();
  for (const key of ["ArrowRight", "ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight"])
    await page.keyboard.press(key);
  expect(await page.locator(".spoken").innerText()).toMatch(/^4 s: from second 4, cores 0\.\d+$/);
  expect(await page.evaluate("location.hash")).toBe("#t=2-4");
  await page.keyboard.press("Escape");
  expect(await page.evaluate("location.hash")).toBe("");
  expect(problems).toEqual([]);
});

test("points are coloured by a choice, and one opens its request, listed or not", async () => {
  const { page, problems } = await pageOfPoints();
  const keys = () => page.locator("#plot-requests .legend .points").allInnerTexts();
  expect(await keys()).toEqual(["ok", "refused"]);
  await page.getByRole("combobox", { name: "Colour by" }).selectOption("operation");
  expect((await keys()).toSorted()).toEqual(["chat.stream", "embeddings"]);
  const frame = page.locator("#plot-requests .frame");
  await frame.focus();
  await page.keyboard.press("ArrowRight");
  const id = await page.locator("#plot-requests .tip b").first().innerText();
  await page.keyboard.press("Enter");
  expect(await page.locator(".opened").innerText()).toContain(`assay show DIR ${id}`);
  const [slowest] = await page
    .locator("#plot-requests a.dot")
    .evaluateAll((dots) => dots.map((dot) => dot.getAttribute("href")));
  await page.locator(`#plot-requests a.dot[href="${slowest}"]`).press("Enter");
  expect(await page.locator(":target").isVisible()).toBe(true);
  expect(problems).toEqual([]);
});

test("text in plots is 11 px or more, also on a narrow screen and on paper", async () => {
  const { page } = await openAll("chat-stream/run.html");
  const smallest = () =>
    page.evaluate(`Math.min(...[...document.querySelectorAll("figure.plot :is(span, figcaption, a, button)")]
      .filter((each) => each.checkVisibility()).map((each) => Number.parseFloat(getComputedStyle(each).fontSize)))`);
  for (const width of [390, 1280, 1920]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await smallest()).toBeGreaterThanOrEqual(11);
  }
  await page.emulateMedia({ media: "print" });
  expect(await smallest()).toBeGreaterThanOrEqual(11);
});

test("a passed load is short, and its contents unfold its parts, also without any script", async () => {
  const { page } = await open("chat-stream/run.html", false);
  // A load generator that was late opens the part about it, and has remarks.
  for (const part of await page.locator("details[open]").all())
    await part.evaluate((element) => element.removeAttribute("open"));
  await page.evaluate("document.querySelectorAll('.reasons').forEach((remarks) => remarks.remove())");
  expect(await page.evaluate("document.documentElement.scrollHeight")).toBeLessThanOrEqual(2_500);
  const part = page.locator("#load-generator");
  expect(await part.isVisible()).toBe(false);
  await page.getByRole("navigation", { name: "Contents" }).getByRole("link", { name: "Load generator" }).click();
  expect(await part.isVisible()).toBe(true);
  expect(await page.locator("details:has(> :target) h2").innerText()).toBe("Load generator");
});

test("a sheet of paper shows what is folded", async () => {
  const { page } = await open("chat-stream/run.html");
  await page.emulateMedia({ media: "print" });
  expect(await page.locator("#load-generator").isVisible()).toBe(true);
});

test("a clause shows the request and the response", async () => {
  const { page } = await openAll("conformance/conformance.html");
  expect(await page.locator("h1").innerText()).toMatch(/required clauses? .*verified/);
  expect(await page.locator("body").innerText()).toContain("video.submit.status");
});

test("a verdict of several targets leads to its clause in the report of its target, and that to its exchange, without any script", async () => {
  const { page } = await open(join(matrix, "index.html"), false);
  await page.getByRole("link", { name: /^FAIL: chat\.response\.id on .* \(other\), show the evidence$/ }).focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(/conformance\.html#chat\.response\.id$/);
  const finding = page.locator(`[id="${FAILED}"]`);
  expect(await finding.innerText()).toContain("FAIL");
  await finding.locator('a[href^="#exchange-"]').first().click();
  expect(await page.locator(":target").innerText()).toMatch(/curl -i -X POST[\s\S]*status 200[\s\S]*Cited by/);
  await page.getByRole("link", { name: "↑ all results" }).click();
  expect(await page.title()).toContain("targets");
});

test("the annotated specification shows what failed, is open or differs alone, and leads to the clause, without any script", async () => {
  const { page } = await open(join(matrix, "specification.html"), false);
  const shown = page.locator("tr.row:visible");
  const all = await shown.count();
  await page.getByRole("radio", { name: /^Not specified or not checkable \d+$/ }).check();
  expect(await shown.count()).toBeLessThan(all);
  expect(await page.getByRole("heading", { name: "Events" }).isVisible()).toBe(true);
  await page.getByRole("radio", { name: "Targets differ 1", exact: true }).check();
  expect(await shown.allInnerTexts()).toEqual([expect.stringMatching(/^id\s+id is a string[\s\S]*PASS[\s\S]*FAIL/)]);
  expect(await page.getByRole("heading", { level: 3 }).filter({ visible: true }).allInnerTexts()).toEqual([
    "Chat completion response (non-streaming)",
  ]);
  await shown.getByRole("link", { name: FAILED }).last().click();
  await page.waitForURL(/conformance\.html#chat\.response\.id$/);
});

test("an address with a clause unfolds it, without any script and with one", async () => {
  for (const script of [false, true]) {
    const { page } = await open("conformance/conformance.html", script);
    expect(await page.locator('[id="chat.status"]').isVisible()).toBe(false);
    await page.goto(`${page.url()}#chat.status`);
    expect(await page.locator('[id="chat.status"]').isVisible()).toBe(true);
  }
});

test("clauses are found by words, area, level and verdict, and an anchor shows all again", async () => {
  const { page, problems } = await open("conformance/conformance.html");
  const shown = () => page.locator("li.row:visible");
  const count = page.locator(".clauses-filter output");
  await page.getByRole("searchbox", { name: "Search clauses" }).fill("temperature ABOVE");
  expect(await count.innerText()).toMatch(/^\d of \d+ clauses$/);
  for (const text of await shown().allInnerTexts()) expect(text).toContain("temperature");
  await page.getByRole("combobox", { name: "Area" }).selectOption("chat.stream");
  expect(await shown().allInnerTexts()).toEqual([expect.stringContaining("chat.stream.temperature.above")]);
  await page.getByRole("searchbox").fill("no such clause");
  expect(await page.getByText("No clause matches").isVisible()).toBe(true);
  await page.getByRole("button", { name: "show all" }).click();
  expect(await count.innerText()).toMatch(/^\d+ clauses$/);
  await page.getByRole("button", { name: /^OBSERVED \d+$/ }).click();
  await page.getByRole("combobox", { name: "Level" }).selectOption("observed");
  expect(await shown().count()).toBeGreaterThan(10);
  await page.evaluate('location.hash = "#chat.status"');
  await page.locator('[id="chat.status"]').waitFor();
  expect(await count.innerText()).toMatch(/^\d+ clauses$/);
  expect(problems).toEqual([]);
});

test("a command is copied as it is shown", async () => {
  const { page, problems } = await open("conformance/conformance.html");
  await page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }");
  await page.goto(`${page.url()}#exchange-1`);
  await page.getByRole("button", { name: "Copy the curl command of exchange 1", exact: true }).first().click();
  expect(await page.evaluate("window.copied")).toBe(await page.locator("#exchange-1 pre.curl").innerText());
  expect(problems).toEqual([]);
});

test("the filter of several targets shows the clauses of one verdict, and all again", async () => {
  const { page, problems } = await open(join(matrix, "index.html"));
  const row = (id: string) => page.getByRole("row").filter({ has: page.locator("code", { hasText: id }) });
  const filter = page.getByRole("button", { name: /^FAIL \d+$/ });
  await filter.click();
  expect(await filter.getAttribute("aria-pressed")).toBe("true");
  expect(await row(FAILED).isVisible()).toBe(true);
  expect(await page.locator("details.rows:not([hidden])").count()).toBe(0);
  await filter.click();
  expect(await page.locator("details.rows:not([hidden])").count()).toBeGreaterThan(0);
  expect(problems).toEqual([]);
});

test("several targets on a phone show the verdicts of two without scrolling", async () => {
  const { page } = await open(join(matrix, "index.html"));
  await page.setViewportSize({ width: 390, height: 800 });
  const boxes = await page
    .locator("table.matrix")
    .first()
    .locator("a.tag")
    .evaluateAll((links) => links.slice(0, 2).map((link) => link.getBoundingClientRect().right));
  for (const right of boxes) expect(right).toBeLessThanOrEqual(378);
});

test("the demo tells what was done in what order, and its pages link back to it", async () => {
  const { page } = await open("index.html");
  const steps = await page.locator("ol > li").allInnerTexts();
  expect(steps[0]).toContain("assay mock --timing fast");
  expect(steps[1]).toContain("assay conformance --target");
  expect(steps.slice(2).every((step) => step.includes("assay load"))).toBe(true);
  await page.locator("ol a").last().click();
  await page.getByRole("link", { name: "↑ all results" }).click();
  expect(await page.title()).toContain("Assay demo");
});

test("the archive that the page links to is beside it", async () => {
  const { page } = await open("conformance/conformance.html");
  const href = await page.getByRole("link", { name: "Exchanges as HAR" }).getAttribute("href");
  expect(readdirSync(join(folder, "conformance"))).toContain(href);
});

test("a badge is a picture with a title", async () => {
  const [own = ""] = readdirSync(matrix).filter((name) => name.startsWith("1-"));
  const { page } = await open(join(matrix, own, "publish/badge.svg"));
  expect(await page.getByRole("img").getAttribute("role")).toBe("img");
  // On a busy machine a clause about time can stay open.
  expect(await page.title()).toMatch(
    /^API conformance of http:.*: (conforms|inconclusive: \d+ required not verified) \(chat, embeddings, video/,
  );
});
