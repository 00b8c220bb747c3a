import { expect, test } from "vitest";
import { buildProgram } from "./program.ts";
import { COMMON, shortenHelp } from "./short-help.ts";

test("the flags that a short help shows are flags of the command", async () => {
  const { commands } = await buildProgram((name) => Object.hasOwn(COMMON, name));
  const stale = Object.entries(COMMON).flatMap(([name, { flags }]) => {
    const [first, second] = name.split(" ");
    const command = commands.find((each) => each.name() === first);
    const options =
      (second === undefined ? command : command?.commands.find((each) => each.name() === second))?.options ?? [];
    return flags.filter((flag) => !options.some(({ long, hidden }) => long === `--${flag}` && !hidden));
  });
  expect(stale).toEqual([]);
});

test("a short help begins with the flags of a first use; the whole one lists all of them by group", async () => {
  const program = await buildProgram((name) => name === "load");
  const load = program.commands.find((each) => each.name() === "load");
  const help = (...argv: string[]): string => {
    shortenHelp(program, ["load", "--help", ...argv]);
    return load?.helpInformation() ?? "";
  };
  const flags = (text: string): string[] =>
    [...text.matchAll(/^ +(?:-h, )?--([a-z-]+)/gm)].map(([, name = ""]) => name);
  const short = flags(help());
  expect(short.slice(0, 6)).toEqual(["target", "rate", "duration", "slo", "out", "plan"]);
  expect(short).toEqual([...(COMMON["load"]?.flags ?? []), "help"]);
  expect(flags(help("all")).length).toBeGreaterThan(50);
  expect(help("all")).toContain("\nConnection:\n");
});
