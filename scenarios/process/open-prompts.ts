/** The prompts of a run on a k6 without the extension, which can only read a file whole. */

import { parsePrompts, type WrittenPrompt } from "../prompts.ts";

/** Reads all prompts of a file; called once per process. */
export const openPrompts = (file: string): readonly WrittenPrompt[] => parsePrompts(openFile(file), file);

function openFile(file: string): string {
  try {
    return open(file);
  } catch (error) {
    throw new Error(`Cannot open the prompts ${file}: ${error}. Name a file of prompts in ASSAY_PROMPTS.`);
  }
}
