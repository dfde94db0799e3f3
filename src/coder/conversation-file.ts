import { dirname, join, sep } from "node:path";
import type { Context, ContextOptions } from "../context/context.ts";
import { isContextError } from "../context/conversation/context-error.ts";
import { createContext, restoreContext } from "../context/create-context.ts";
import { HoldfastError } from "../errors.ts";
import { appendFiles } from "../platform/append-file.ts";
import { makeFolders, readTextIfExists, replaceFile, unwritable } from "../platform/files.ts";
import { refuseLinkedState } from "../platform/links.ts";

/** A conversation that is on disk as soon as it is saved. */
export interface KeptConversation {
  readonly context: Context;
  save(): void;
  /** A turn that does not end in time may go on after that; what it adds is not kept. */
  close(): void;
}

const fileName = "coder.jsonl";
const brokenName = "coder.unreadable.jsonl";
const longest = 200 * 1024 * 1024;

/** The conversation of a run, from the file in its folder if there is one. Calls without a result are left open. */
export function openConversation(folder: string, options: ContextOptions): KeptConversation {
  const path = join(folder, fileName);
  refuseLinkedState(dirname(path) + sep);
  const saved = readTextIfExists(path, longest) ?? "";
  makeFolders(folder);
  const context = restore(path, saved, options) ?? createContext(options);
  // A kill may have cut the last line, and nothing may be appended to half a line.
  replaceFile(path, context.save());
  let lines = context.savedLines();
  let isClosed = false;
  const file = appendFiles.open(path, { create: true });
  return {
    context,
    save() {
      if (isClosed) return;
      const text = context.save({ after: lines });
      if (text === "") return;
      try {
        const bytes = Buffer.from(text);
        for (let done = 0; file !== null && done < bytes.length; ) done += file.write(bytes.subarray(done));
      } catch (cause) {
        throw unwritable(path, cause);
      }
      lines = context.savedLines();
    },
    close() {
      if (!isClosed) file?.close();
      isClosed = true;
    },
  };
}

/** Null if there is nothing that can be read: the run goes on with a new conversation and the handoff. */
function restore(path: string, saved: string, options: ContextOptions): Context | null {
  if (saved === "") return null;
  try {
    const context = restoreContext(saved, { ...options, outstanding: "keep" });
    // A conversation that was cleared is one; one in which nothing was ever said is not.
    return context.log().some(({ message }) => message.role === "user") ? context : null;
  } catch (error) {
    if (isContextError(error, "saved-newer")) {
      throw new HoldfastError("format-newer", { file: path, format: error.data.format }, { cause: error });
    }
    if (!isContextError(error)) throw error;
    replaceFile(join(dirname(path), brokenName), saved);
    return null;
  }
}
