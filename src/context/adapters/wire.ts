import { checksum } from "../conversation/checksum.ts";

/**
 * An id in a form that a provider accepts. A valid id stays; another one is rewritten with allowed characters and a
 * checksum, so that it is stable across requests and unique.
 */
export function wireId(id: string, most: number): string {
  if (/^[a-zA-Z0-9_-]+$/.test(id) && id.length <= most) return id;
  return `${id.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, most - 15)}_${checksum(id, "")}`;
}

export function wireName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64);
}

export type ImageType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

/** The source of media: a URL, or base64 with its type. */
export type Medium =
  | { readonly type: "url"; readonly url: string }
  | { readonly type: "base64"; readonly mediaType: string; readonly data: string };

export function readMedium(data: string, mediaType: string | undefined): Medium {
  if (/^https?:\/\//i.test(data)) return { type: "url", url: data };
  const inline = /^data:([^;,]+);base64,/.exec(data);
  if (inline !== null) return { type: "base64", mediaType: inline[1] ?? "", data: data.slice(inline[0].length) };
  return { type: "base64", mediaType: mediaType ?? "image/*", data };
}

/** Detects the media type from the file signature at the start of the base64. */
const signatures: readonly (readonly [string, ImageType])[] = [
  ["iVBOR", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
];
const imageTypes: readonly string[] = signatures.map(([, type]) => type);

export function imageType({ data, mediaType }: { readonly data: string; readonly mediaType: string }): ImageType {
  const signed = signatures.find(([start]) => data.startsWith(start))?.[1];
  return signed ?? (imageTypes.includes(mediaType) ? (mediaType as ImageType) : "image/png");
}

/** A system note as user text, where a provider accepts no system message. */
export function systemNote(text: string): string {
  return `[System note] ${text}`;
}
