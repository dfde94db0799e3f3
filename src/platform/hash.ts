import { hash } from "node:crypto";

/** The SHA-256 of a text or of bytes, in hex. Node's one-shot `hash` is faster than a Hash object for short input. */
export function sha256Hex(content: string | Uint8Array): string {
  return hash("sha256", content);
}
