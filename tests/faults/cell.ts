/** What the parts of the fault matrix agree on: a fault, a command, and the cell that they make together. */

import type { ChildProcess } from "node:child_process";
import type { FaultyTarget, TargetMode } from "./faulty-target.ts";
import type { Process } from "./processes-of-cell.ts";
import type { Argv } from "./surroundings.ts";

/**
 * What can be read after a command: its reports; its records only, of which `assay report` makes them; the ground truth of a mock;
 * a load to be run elsewhere; or nothing.
 */
export type Result = "report" | "records" | "ground truth" | "load" | "nothing";

export interface Command {
  /** Its video tasks do not end by themselves, however short it is. */
  readonly hasLongTasks?: boolean;
  /** It takes minutes, even without a fault. */
  readonly isLong?: true;
  /** Makes what it is to work on, once the fault is prepared. */
  readonly given?: (cell: Cell) => Promise<void>;
  readonly args: (cell: Cell) => readonly string[];
  readonly env?: (cell: Cell) => Promise<Readonly<Record<string, string>>>;
  /** Resolves when it is in the middle of its work. */
  readonly underWay: (cell: Cell) => Promise<void>;
  /** What is done with it after the fault; absent: it ends by itself. */
  readonly afterwards?: (cell: Cell) => Promise<void>;
  readonly result: (folder: string) => Result;
}

/**
 * What becomes of the video tasks that a command created: all were ended; those that were not are printed with the command
 * that cancels them; or its journal has them, and that command cancels them.
 */
export type Tasks = "none" | "cancelled" | "named" | "in the journal";
/** What may become of them, where that depends on when the fault strikes. */
export type ExpectedTasks = Tasks | "cancelled or named";

/** What comes of a command under a fault. Whatever it is, no process may be left behind. */
export interface Outcome {
  /** The exit code; null: ended by a signal. */
  readonly exit: number | null;
  /** What it prints, with `…` for what differs from run to run; empty where nobody can read it. */
  readonly says: string;
  readonly result: Result;
  readonly tasks: ExpectedTasks;
}

/** What a test of the matrix has found. */
export interface Found extends Omit<Outcome, "says" | "tasks"> {
  readonly tasks: Tasks;
  readonly output: string;
  /** Processes that were left behind. */
  readonly left: readonly Process[];
  /** The machine was too busy to measure, which is no matter of the fault. */
  readonly isClientLimited: boolean;
}

/** Video tasks as the mock knows them: those that have not ended, and all. */
export interface MockState {
  readonly openTasks: number;
  readonly tasks: number;
}

/** What a fault and a command see of the cell that they make. */
export interface Cell {
  /** The result folder, which the command creates. */
  readonly folder: string;
  /** The folder around it. */
  readonly parent: string;
  /** Result folders of runs that have ended. */
  readonly recorded: Readonly<Record<"load" | "sameLoad" | "conformance" | "history", string>>;
  readonly target: FaultyTarget;
  /** The address of the mock behind it. */
  readonly mock: string;
  /** The address that the command gets. */
  readonly address: string;
  readonly flags: readonly string[];
  /** Only the fault ends the command. */
  readonly isEndless: boolean;
  readonly child: ChildProcess;
  /** The command's own process. */
  readonly pid: number;
  /** All its processes, k6 among them. */
  processes(): readonly Process[];
  /** Resolves when a file of its result folder contains a text. */
  writes(file: string, text: string): Promise<void>;
  /** Resolves with the first group of the match in what it printed, and with undefined when it ended before. */
  until(pattern: RegExp): Promise<string | undefined>;
  signal(name: NodeJS.Signals): void;
}

/** What is prepared before the command starts. */
export interface Prepared {
  /** The address that it gets instead of that of the target. */
  readonly address?: string;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly wrap?: (argv: Argv) => Argv;
  readonly stdio?: { readonly stdout?: number; readonly stderr?: number };
  /** The file that gets the exit code, where this process cannot see it. */
  readonly exitFile?: string;
}

export interface Preparing {
  readonly parent: string;
  readonly folder: string;
  readonly undo: (step: () => unknown) => void;
}

export type FaultKind = "target" | "signal" | "output" | "disk" | "limit";

export interface Fault {
  readonly kind: FaultKind;
  readonly about: string;
  /** What the target does from the beginning. */
  readonly target?: TargetMode;
  readonly prepare?: (cell: Preparing) => Promise<Prepared> | Prepared;
  /** A program and arguments that must work here for the fault to be made; absent: it can be made everywhere. */
  readonly needs?: readonly [file: string, ...args: readonly string[]];
  /** What happens in the middle of the work. */
  readonly strike?: (cell: Cell) => Promise<void>;
  /** The fault ends the work, which would go on for minutes. */
  readonly ends?: true;
}
