/** A binary heap of entries by the time at which they are due, earliest first. */

export interface Due {
  dueMs: number;
}

export class DueHeap<T extends Due> {
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    const items = this.#items;
    let i = items.push(item) - 1;
    while (i > 0) {
      const above = (i - 1) >> 1;
      const parent = items[above];
      if (parent === undefined || parent.dueMs <= item.dueMs) break;
      items[i] = parent;
      i = above;
    }
    items[i] = item;
  }

  pop(): T | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (last !== undefined && items.length > 0) this.#sink(last);
    return first;
  }

  clear(): void {
    this.#items.length = 0;
  }

  #sink(item: T): void {
    const items = this.#items;
    let i = 0;
    for (;;) {
      const left = 2 * i + 1;
      const a = items[left];
      if (a === undefined) break;
      const b = items[left + 1];
      const [child, at] = b !== undefined && b.dueMs < a.dueMs ? [b, left + 1] : [a, left];
      if (child.dueMs >= item.dueMs) break;
      items[i] = child;
      i = at;
    }
    items[i] = item;
  }
}
