import { join } from "node:path";
import { isHoldfastError } from "../../errors.ts";
import { todoOwner } from "../../model/todo.ts";
import { hasCode, readInPlace, sha256Hex, unreadable } from "../../platform/files.ts";

/** What is at the path of a todo list: nothing, a run's list, or something that must not be changed. */
export type Found =
  | { readonly type: "nothing" }
  | { readonly type: "list"; readonly owner: string; readonly text: string }
  | { readonly type: "link" }
  | { readonly type: "unreadable"; readonly problem: string }
  | { readonly type: "foreign" };

/** In bytes: larger than any list that we write, with room for a person's additions. */
const longest = 256 * 1024;

/** Never follows a link: it could lead anywhere. */
export function findList(root: string, file: string): Found {
  const path = join(root, file);
  try {
    const text = readInPlace(path, longest).toString("utf8");
    const owner = todoOwner(text);
    return owner === null ? { type: "foreign" } : { type: "list", owner, text };
  } catch (cause) {
    if (hasCode(cause, "ENOENT")) return { type: "nothing" };
    if (hasCode(cause, "ELOOP")) return { type: "link" };
    if (hasCode(cause, "EISDIR", "ENXIO", "E2BIG")) return { type: "foreign" };
    const error = unreadable(path, cause);
    if (!isHoldfastError(error, "file-unreadable")) throw error;
    return { type: "unreadable", problem: error.data.problem };
  }
}

/** Used to detect that someone changed the list after we wrote it. */
export function hashOf(text: string): string {
  return `sha256:${sha256Hex(text)}`;
}
