/** The pages of a demo in a real browser: complete without a network, without console errors, in light and dark mode. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { assay, newFolder } from "../support/assay-process.ts";

const folder = newFolder();
let browser: Browser;

beforeAll(async () => {
  const { code, stderr, stdout } = await assay(["demo", "--out", folder]);
  // The pages are the subject here: on a busy machine, a load generator that was late says so and ends with 2.
  expect(code, stderr + stdout).toBe(stdout.includes("CLIENT-LIMITED") ? 2 : 0);
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

interface Opened {
  readonly page: Page;
  /** Requests for anything but the file itself, and messages of the console. */
  readonly problems: readonly string[];
}

async function open(file: string, colorScheme: "light" | "dark" = "light"): Promise<Opened> {
  const page = await browser.newPage({ colorScheme, viewport: { width: 1200, height: 900 } });
  const problems: string[] = [];
  const address = pathToFileURL(join(folder, file)).href;
  page.on("console", (message) => problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith("file:") && !request.url().startsWith("data:")) problems.push(request.url());
  });
  await page.goto(address);
  return { page, problems };
}

const pages = ["index.html", "conformance/conformance.html", "chat-stream/run.html", "video/run.html"];

test.each(pages)("%s loads nothing else and logs nothing", async (file) => {
  const { page, problems } = await open(file);
  expect(problems).toEqual([]);
  expect(await page.title()).toContain("Assay");
});

test.each(pages)("%s follows the colour scheme of the system", async (file) => {
  const background = async (scheme: "light" | "dark"): Promise<string> =>
    (await open(file, scheme)).page.evaluate("getComputedStyle(document.body).backgroundColor");
  expect(await background("light")).not.toBe(await background("dark"));
});

test.each(pages)("%s fits a narrow screen", async (file) => {
  const { page } = await open(file);
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
});

test("the overview links to every report", async () => {
  const { page } = await open("index.html");
  const links = await page.locator("a").evaluateAll((anchors) => anchors.map((anchor) => anchor.getAttribute("href")));
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders).toHaveLength(6);
  for (const { name } of folders) expect(links.some((link) => link?.startsWith(`${name}/`))).toBe(true);
  await page.locator('a[href="chat-stream/run.html"]').click();
  expect(await page.title()).toContain("chat-stream");
});

test("a load's charts are drawn", async () => {
  const { page } = await open("chat-stream/run.html");
  const sizes = await page
    .locator("svg")
    .evaluateAll((charts) => charts.map((chart) => chart.getBoundingClientRect().height));
  expect(sizes.length).toBeGreaterThanOrEqual(4);
  for (const height of sizes) expect(height).toBeGreaterThan(100);
});

test("a clause shows the request and the response", async () => {
  const { page } = await open("conformance/conformance.html");
  expect(await page.locator("body").innerText()).toMatch(/\d+ of \d+ required verified/);
  for (const details of await page.locator("details").all())
    await details.evaluate((element) => element.setAttribute("open", ""));
  expect(await page.locator("body").innerText()).toContain("video.submit.status");
});
