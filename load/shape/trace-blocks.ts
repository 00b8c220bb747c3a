/** The blocks of prompts that a trace states (`hash_ids`): prompts with the same id have the same text there. Pure. */

/** The ids of all prompts of a trace, one after another. */
export interface TraceBlocks {
  /** Tokens of a block. */
  readonly tokens: number;
  readonly ids: readonly number[];
  /** Where in `ids` those of each arrival begin, and at last where they end. */
  readonly starts: readonly number[];
}

/** The size that Mooncake publishes, and that of Bailian. */
const KNOWN_SIZES = [512, 16] as const;

/** How many tokens a prompt has, and how many ids. */
export interface PromptBlocks {
  readonly tokens: number;
  readonly ids: number;
}

/** How many of the prompts a published size must fit: a few lines of published traces state one id more or less. */
const MOST = 0.95;

/**
 * The size of blocks, in tokens: a published one where nearly all prompts have an id per block of it, the last block of which may be
 * shorter or have none. Else the least at which no prompt is longer than its blocks.
 */
export function blockSizeOf(prompts: readonly PromptBlocks[]): number {
  const fits = (size: number): boolean =>
    prompts.filter(({ tokens, ids }) => Math.ceil(tokens / size) === ids || Math.floor(tokens / size) === ids).length >=
    MOST * prompts.length;
  return (
    KNOWN_SIZES.find(fits) ?? prompts.reduce((size, { tokens, ids }) => Math.max(size, Math.ceil(tokens / ids)), 1)
  );
}
