/** Every text in a part of a request, in order, whatever blocks it is wrapped in. The input of a tool call is none. */
export function textIn(part: unknown): string {
  return textsIn(part).join("\n");
}

const carriers = new Set(["text", "content", "output"]);

function textsIn(part: unknown): string[] {
  if (typeof part === "string") return [part];
  if (Array.isArray(part)) return part.flatMap(textsIn);
  if (typeof part !== "object" || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) => (carriers.has(key) ? textsIn(value) : []));
}
