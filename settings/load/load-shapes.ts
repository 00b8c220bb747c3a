/**
 * Shapes of a load by name: how the rate changes, as shares of the highest one, and the settings that belong to such a load.
 * A setting that the user gives replaces that of a shape; objectives and conditions are added. Pure.
 */

import type { RateProfile } from "./rates.ts";

interface LoadShape {
  /** What it is for, for the help. */
  readonly help: string;
  /** Stages, all equally long, as shares of the highest rate. */
  readonly stages: RateProfile;
  /** The highest rate, as a multiple of the scenario's default, where no rate is given. */
  readonly ofDefault: number;
  /** Settings by name, as a user writes them. */
  readonly settings: Readonly<Record<string, string>>;
}

const at = (share: number) => ({ from: share, to: share });

export const LOAD_SHAPES = {
  smoke: {
    help: "half a minute at a tenth of the rate, without a failure",
    stages: [at(0.1)],
    ofDefault: 1,
    settings: { duration: "30s", warmup: "0", noDefaultSlos: "true", slo: "ok>=1,error_rate<=0%" },
  },
  ramp: {
    help: "rises over five minutes from a tenth of the rate to the rate",
    stages: [{ from: 0.1, to: 1 }],
    ofDefault: 1,
    settings: { duration: "5m" },
  },
  step: {
    help: "five steps of a minute, each a fifth of the rate higher",
    stages: [0.2, 0.4, 0.6, 0.8, 1].map(at),
    ofDefault: 1,
    settings: { duration: "5m" },
  },
  spike: {
    help: "two minutes at a tenth of the rate, one at the rate, two at a tenth",
    stages: [0.1, 0.1, 1, 0.1, 0.1].map(at),
    ofDefault: 1,
    settings: { duration: "5m" },
  },
  idle: {
    help: "a minute at the rate, three times, with three minutes without load between",
    stages: [1, 0, 0, 0, 1, 0, 0, 0, 1].map(at),
    ofDefault: 1,
    settings: { duration: "9m" },
  },
  soak: {
    help: "an hour at the rate, with gaps in a histogram",
    stages: [at(1)],
    ofDefault: 1,
    settings: { duration: "1h", records: "summary" },
  },
  breakpoint: {
    help: "rises over ten minutes from 0 to the rate (default: ten times the usual one), and ends when a fifth of 10 s fails",
    stages: [{ from: 0, to: 1 }],
    ofDefault: 10,
    settings: { duration: "10m", warmup: "0", abortOn: "error_rate>20% over 10s" },
  },
} as const satisfies Readonly<Record<string, LoadShape>>;

export type ShapeName = keyof typeof LOAD_SHAPES;

const isName = (name: string): name is ShapeName => Object.hasOwn(LOAD_SHAPES, name);

export const SHAPE_NAMES: readonly ShapeName[] = Object.keys(LOAD_SHAPES).filter(isName);

/** The shape of a name; undefined for another name. */
export const shapeNamed = (name: string): LoadShape | undefined => (isName(name) ? LOAD_SHAPES[name] : undefined);

/** `smoke (half a minute at …), ramp (…)`. */
export const SHAPES_IN_WORDS = SHAPE_NAMES.map((name) => `${name} (${LOAD_SHAPES[name].help})`).join("; ");

/** The rates of a shape whose highest one is `rate`, without the noise of floating point. */
export const ratesOf = ({ stages }: LoadShape, rate: number): RateProfile =>
  stages.map(({ from, to }) => ({ from: scaled(from, rate), to: scaled(to, rate) }));

const scaled = (share: number, rate: number): number => Number((share * rate).toPrecision(9));
