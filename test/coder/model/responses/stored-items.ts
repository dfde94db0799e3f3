import type { Fields } from "../json.ts";

/** The provider keeps what it has answered, unless a request says `store: false`, and can be told of it by id. */
const stored = new Map<string, Fields>();

export function storeItems(items: readonly (Fields & { readonly id: string })[]): void {
  for (const item of items) stored.set(item.id, item);
}

export function storedItem(id: string): Fields | undefined {
  return stored.get(id);
}
