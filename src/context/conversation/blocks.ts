import { ContextError } from "./context-error.ts";
import { quoted, type Slots } from "./slots.ts";

/** Shorter texts may stand in two places by chance. */
const shortestBlock = 24;

/** The texts of the slots that are long enough to be told apart. */
export function blocksOf(data: Slots): string[] {
  return Object.values(data).filter((text) => text.length >= shortestBlock);
}

/** No block of the prompt may stand in what the library, or the caller as a block of its own, puts elsewhere. */
export function checkBlocks(data: Slots, prompt: string, text: string, where: string): void {
  const blocks = blocksOf(data).filter((block) => standsIn(prompt, block) && standsIn(text, block));
  const twice = Object.keys(data).find((name) => blocks.includes(data[name] ?? ""));
  if (twice !== undefined) throw new ContextError("block-duplicated", { block: twice, where });
}

export function standsIn(text: string, block: string): boolean {
  return text.includes(block) || text.includes(quoted(block));
}
