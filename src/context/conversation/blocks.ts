import { ContextError } from "./context-error.ts";
import { quoted, type Slots } from "./slots.ts";

/** Shorter texts may occur twice by chance. */
const shortestBlock = 24;

/** The slot texts that are long enough to detect duplicates. */
export function blocksOf(data: Slots): string[] {
  return Object.values(data).filter((text) => text.length >= shortestBlock);
}

/** Rejects text that repeats a block of the system prompt in another place. */
export function checkBlocks(data: Slots, prompt: string, text: string, where: string): void {
  const blocks = blocksOf(data).filter((block) => standsIn(prompt, block) && standsIn(text, block));
  const twice = Object.keys(data).find((name) => blocks.includes(data[name] ?? ""));
  if (twice !== undefined) throw new ContextError("block-duplicated", { block: twice, where });
}

export function standsIn(text: string, block: string): boolean {
  return text.includes(block) || text.includes(quoted(block));
}
