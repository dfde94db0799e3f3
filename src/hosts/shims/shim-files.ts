import type { HostFile } from "../contract/host.ts";
import { shims } from "./shims.ts";

const mark = 'Made by "holdfast init"';

/** The shims as project files, which every host needs. A checkout may have changed their line endings. */
export const shimFiles: readonly HostFile[] = Object.entries(shims).map(([name, shim]) => ({
  path: `.holdfast/${name}`,
  putIn: (text) => ({ ok: true, text: text?.replaceAll("\r\n", "\n") === shim ? text : shim }),
  takeOut: (text) => ({ ok: true, text: text.includes(mark) ? null : text }),
}));
