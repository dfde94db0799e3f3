import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import type { ToolReply } from "../tools/tool.ts";

/** What a tool has returned, as text. */
export function replyOf({ content, structuredContent, isError }: CallToolResult): ToolReply {
  const parts = content.map(partText).filter((part) => part !== "");
  const text =
    parts.length === 0 && structuredContent !== undefined ? JSON.stringify(structuredContent) : parts.join("\n");
  // Providers refuse half a character, which JSON can have.
  const clean = text.replace(/[\0\p{Cs}]/gu, "\ufffd");
  return isError === true ? { text: clean === "" ? "the tool has failed" : clean, isError } : { text: clean };
}

function partText(part: ContentBlock): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "image":
    case "audio":
      return `[${part.type}, ${part.mimeType}, ${sizeOf(part.data)}: not shown]`;
    case "resource_link":
      return `[resource ${part.uri}: ${part.description ?? part.title ?? part.name}]`;
    case "resource": {
      const { resource } = part;
      if ("text" in resource) return `[resource ${resource.uri}]\n${resource.text}`;
      return `[resource ${resource.uri}, ${resource.mimeType ?? "of unknown type"}, ${sizeOf(resource.blob)}: not shown]`;
    }
  }
}

function sizeOf(base64: string): string {
  return `${Math.ceil((base64.length * 3) / 4 / 1024)} KB`;
}
