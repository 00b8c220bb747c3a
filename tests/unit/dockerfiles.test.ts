/** What holds for the images, as far as their Dockerfiles say. Their steps are carried out by tests/system/release.test.ts. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { VERSION } from "../../cli/tool.mjs";
import { ROOT } from "../../scripts/supply-chain/components.ts";
import { stagesOf } from "../support/pages/dockerfile.ts";

describe.each(["Dockerfile", "Dockerfile.cli"])("the image of %s", (name) => {
  const text = readFileSync(join(ROOT, name), "utf8");
  const stages = stagesOf(text);
  const image = stages.at(-1);
  const steps = (kind: string) => image?.steps.filter((step) => step.kind === kind).map((step) => step.text) ?? [];

  test("is built on exact versions of other images, which arguments replace by ones with a digest", () => {
    expect(stages.length).toBeGreaterThan(1);
    for (const { from } of stages) expect(from).toMatch(/^[a-z]+:\d+\.\d+\.\d+(-[a-z]+)?$/);
    for (const [line] of text.matchAll(/^FROM .*/gm))
      expect(line).toMatch(/^FROM (--platform=\$BUILDPLATFORM )?\$\{\w+\}/);
  });

  test("runs as a user without rights, and runs nothing while it is made", () => {
    expect(steps("USER")).toEqual(["12345:12345"]);
    expect(steps("RUN")).toEqual([]);
    expect(steps("ADD")).toEqual([]);
  });

  test("takes the k6 of a package for the platform that is asked for, and compiles none", () => {
    const unpacking = stages.filter(({ steps: all }) => all.some(({ text: step }) => step.includes("k6-linux-$cpu")));
    expect(unpacking).toHaveLength(1);
    for (const { steps: all } of unpacking) {
      expect(all.filter(({ kind }) => kind === "ARG").map(({ text: arg }) => arg)).toEqual(["VERSION", "TARGETARCH"]);
      expect(all.some(({ text: step }) => /\bsha256sum -c\b/.test(step))).toBe(true);
    }
    expect(text).not.toMatch(/\bgo (?:build|install)\b|golang/);
  });

  test("says in labels which version it is, of which revision, where its source is and under which licences", () => {
    const labels = Object.fromEntries(
      [
        ...steps("LABEL")
          .join(" ")
          .matchAll(/org\.opencontainers\.image\.(\w+)="([^"]*)"/g),
      ].map(([, key, value]) => [key, value]),
    );
    expect(Object.keys(labels)).toEqual(["title", "version", "revision", "source", "licenses"]);
    expect(labels).toMatchObject({ version: "$VERSION", revision: "$REVISION", source: "$SOURCE" });
    expect(labels["licenses"]).toContain("AGPL-3.0-only");
    expect(image?.args["VERSION"]).toBe(VERSION);
    expect(text).toMatch(/^ARG SOURCE=https:\/\/\S+\/@assay-load\/[\w-]+$/m);
  });

  test("takes no secret", () => {
    expect(text).not.toMatch(/^(?:ARG|ENV).*(?:KEY|TOKEN|SECRET|PASSWORD)/m);
  });
});

test("the command runs on the Node that the packages are released with", () => {
  const [, node] = /node-version: (\d+)/.exec(readFileSync(join(ROOT, ".github/workflows/release.yml"), "utf8")) ?? [];
  const [{ from } = { from: "" }] = stagesOf(readFileSync(join(ROOT, "Dockerfile.cli"), "utf8"));
  expect(from).toMatch(new RegExp(`^node:${node}\\.`));
});
