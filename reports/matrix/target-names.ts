/** What the targets of a matrix are called: short, and no two alike. Pure. */

/** Where a result is from. */
export interface NamedSource {
  /** Base address of the target. */
  readonly target: string;
  /** The folder of the result, absolute: no two are one. */
  readonly path: string;
}

/**
 * The address without its scheme; where several results are of one address, with the end of the path of the folder that
 * tells them apart.
 */
export function targetNames(sources: readonly NamedSource[]): string[] {
  const addresses = sources.map(({ target }) => target.replace(/^https?:\/\//, ""));
  return sources.map(({ path }, index) => {
    const address = addresses[index] ?? "";
    const rivals = sources.filter((_, other) => other !== index && addresses[other] === address);
    return rivals.length === 0
      ? address
      : `${address} (${endOf(
          path,
          rivals.map((rival) => rival.path),
        )})`;
  });
}

const segmentsOf = (path: string): string[] => path.split(/[/\\]/).filter((segment) => segment !== "");

/** The fewest last segments of a path that no other path ends with; all, when another one ends with those. */
function endOf(path: string, others: readonly string[]): string {
  const own = segmentsOf(path);
  for (let count = 1; count < own.length; count += 1) {
    const end = own.slice(-count).join("/");
    if (!others.some((other) => segmentsOf(other).slice(-count).join("/") === end)) return end;
  }
  return path;
}

/** A name of a folder for each target: its number, and what of its name a file system and an address take. */
export const folderNames = (names: readonly string[]): string[] =>
  names.map((name, index) => {
    const plain = name.replace(/[^A-Za-z0-9.-]+/g, "-").replace(/^[-.]+|[-.]+$/g, "");
    return `${index + 1}-${plain.slice(0, 60)}`.replace(/[-.]+$/, "");
  });
