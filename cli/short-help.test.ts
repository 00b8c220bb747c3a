import { expect, test } from "vitest";
import { buildProgram } from "./program.ts";
import { COMMON } from "./short-help.ts";

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
