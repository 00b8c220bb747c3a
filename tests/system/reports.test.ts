/** The pages of a demo in a real browser: complete without a network, without console errors, in light and dark mode. */

import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { assay, newFolder } from "../support/commands/assay-process.ts";

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

async function open(file: string, colorScheme: "light" | "dark" = "light", javaScriptEnabled = true): Promise<Opened> {
  const page = await browser.newPage({ colorScheme, javaScriptEnabled, viewport: { width: 1200, height: 900 } });
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
async function openAll(...of: Parameters<typeof open>): Promise<Opened> {
  const opened = await open(...of);
  for (const details of await opened.page.locator("details").all())
    await details.evaluate((element) => element.setAttribute("open", ""));
  return opened;
}

const pages = [
  "index.html",
  "conformance/conformance.html",
  "chat-stream/run.html",
  "video/run.html",
  join(matrix, "index.html"),
];

test.each(pages)("%s loads nothing else and logs nothing", async (file) => {
  const { page, problems } = await open(file);
  expect(problems).toEqual([]);
  expect(await page.title()).toContain("Assay");
});

const violations = z.array(
  z.object({ id: z.string(), help: z.string(), nodes: z.array(z.object({ html: z.string() })) }),
);

/** Made of results that no demo has. */
const golden = ["load/views/golden/bad.html", "load/views/golden/bad.card.html", "search/golden/search.html"].map(
  (file) => resolve("reports", file),
);

test.each(
  [...pages, ...golden].flatMap((file) => (["light", "dark"] as const).map((scheme) => [file, scheme] as const)),
)("%s can be read and used by everybody, as far as a program can tell (%s)", async (file, scheme) => {
  const { page } = await openAll(file, scheme);
  await page.evaluate(axe.source);
  const found = violations.parse(await page.evaluate("axe.run().then(({ violations }) => violations)"));
  expect(found.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.length} times, ${nodes[0]?.html}`)).toEqual([]);
});

test.each(pages)("%s follows the colour scheme of the system", async (file) => {
  const background = async (scheme: "light" | "dark"): Promise<string> =>
    (await open(file, scheme)).page.evaluate("getComputedStyle(document.body).backgroundColor");
  expect(await background("light")).not.toBe(await background("dark"));
});

test.each([...pages, ...golden])("%s fits a narrow screen", async (file) => {
  const { page } = await open(file);
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
});

test.each([...pages, ...golden])("%s fits a sheet of paper", async (file) => {
  const { page } = await open(file);
  await page.setViewportSize({ width: 718, height: 1000 });
  await page.emulateMedia({ media: "print" });
  const wide = await page
    .locator("table:visible")
    .evaluateAll((tables) => tables.filter((table) => table.getBoundingClientRect().right > 718).length);
  expect(wide).toBe(0);
});

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
  const { page } = await open("chat-stream/run.html", "light", false);
  // A load generator that was late opens the part about it.
  for (const part of await page.locator("details[open]").all())
    await part.evaluate((element) => element.removeAttribute("open"));
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
  expect(await page.locator("h1").innerText()).toMatch(/required clauses .*verified/);
  expect(await page.locator("body").innerText()).toContain("video.submit.status");
});

test("a verdict of several targets leads to its clause in the report of its target, and that to its exchange, without any script", async () => {
  const { page } = await open(join(matrix, "index.html"), "light", false);
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

test("an address with a clause unfolds it, without any script and with one", async () => {
  for (const script of [false, true]) {
    const { page } = await open("conformance/conformance.html", "light", script);
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
