/** The parts of a report, in the order in which every view has them; a view leaves out those that it has nothing for. */

export interface Section<T> {
  readonly id: string;
  readonly title: string;
  readonly body: T;
}

/** What a view has of the parts, in the order of their titles. */
export function inOrder<Id extends string, T extends {}>(
  titles: Readonly<Record<Id, string>>,
  bodies: Readonly<Partial<Record<Id, T | undefined>>>,
): Section<T>[] {
  const own: Readonly<Record<string, T | undefined>> = bodies;
  return Object.entries<string>(titles).flatMap(([id, title]) => {
    const body = own[id];
    return body === undefined ? [] : [{ id, title, body }];
  });
}
