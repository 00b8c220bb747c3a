import { describe, expect, test } from "vitest";
import { STYLE } from "./style.ts";

type Triple = readonly [number, number, number];
type Matrix = readonly [Triple, Triple, Triple];

/** What is left of a colour, in linear light: Machado, Oliveira and Fernandes (2009), severity 1. */
const VISIONS: Readonly<Record<string, Matrix>> = {
  "all colours": [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

const times = (matrix: Matrix, [x, y, z]: Triple): Triple => {
  const [a, b, c] = matrix.map((row) => row[0] * x + row[1] * y + row[2] * z);
  return [a ?? 0, b ?? 0, c ?? 0];
};

/** sRGB, as hexadecimal digits, in linear light from 0 to 1. */
const linear = (hex: string): Triple => {
  const [r = 0, g = 0, b = 0] = [0, 2, 4]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return [r, g, b];
};

/** OKLab (Ottosson, 2020): equal distances look equally different; black and white are 1 apart. */
const oklab = (rgb: Triple): Triple => {
  const cones = times(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    rgb,
  );
  const [l, m, s] = [Math.cbrt(cones[0]), Math.cbrt(cones[1]), Math.cbrt(cones[2])];
  return times(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    [l, m, s],
  );
};

const contrast = (one: Triple, other: Triple): number => {
  const [low = 0, high = 0] = [one, other]
    .map(([r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b)
    .toSorted((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
};

/** The colours of both schemes by their name. */
const schemes = STYLE.split("prefers-color-scheme: dark")
  .slice(0, 2)
  .map(
    (text) =>
      new Map(
        [...text.matchAll(/--(s[1-6]|bad|card): #([0-9a-f]{6})/g)].map(([, name, hex = ""]) => [name ?? "", hex]),
      ),
  );

describe.for([
  ["light", 0],
  ["dark", 1],
] as const)("the colours of lines, %s", ([, scheme]) => {
  const { card = "", ...colours } = Object.fromEntries(schemes[scheme] ?? []);
  const names = Object.keys(colours);

  test.for(Object.entries(VISIONS))("are told apart with %s", ([, vision], { expect }) => {
    expect(names).toHaveLength(7);
    const seen = names.map((name) => {
      const [r, g, b] = times(vision, linear(colours[name] ?? ""));
      const within = (value: number) => Math.min(1, Math.max(0, value));
      return { name, lab: oklab([within(r), within(g), within(b)]) };
    });
    const near = seen.flatMap((one, index) =>
      seen
        .slice(index + 1)
        .filter((other) => Math.hypot(...one.lab.map((value, axis) => value - (other.lab[axis] ?? 0))) < 0.075)
        .map((other) => `${one.name} and ${other.name}`),
    );
    expect(near).toEqual([]);
  });

  test("stand out from the card that they are drawn on", () => {
    for (const name of names) expect(contrast(linear(colours[name] ?? ""), linear(card)), name).toBeGreaterThan(3);
  });
});
