import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readRegularFile } from "../../platform/files.ts";
import { sizeLimits } from "../../platform/size-limits.ts";
import { UsageError } from "./usage-error.ts";

/** Lets a person edit a text in their editor, such as `code --wait`. Lines that begin with # are left out. */
export function editText(editor: string, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-"));
  const file = join(folder, "tasks.txt");
  try {
    writeFileSync(file, text, { mode: 0o600 });
    const [program = "", ...words] = editor.split(/\s+/).filter((word) => word !== "");
    const { status, error } = spawnSync(program, [...words, file], { stdio: "inherit" });
    // Some editors write a new file and may fail between the two.
    if (error !== undefined || status !== 0 || !existsSync(file)) {
      throw new UsageError(`the editor ${editor} failed; nothing was changed`, "set EDITOR, or use --file FILE");
    }
    return readRegularFile(file, sizeLimits.input)
      .toString("utf8")
      .replace(/^#.*\n?/gm, "");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
