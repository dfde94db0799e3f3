import { type HostFile, ownMark } from "../contract/host.ts";
import { shims } from "./shims.ts";

const abouts: Readonly<Record<keyof typeof shims, string>> = {
  "hook.cjs": "starts the hooks",
  "hook.mjs": "the same as a module",
  "mcp.mjs": "starts the server and the status line",
};

/** The shims as project files, which every host needs. A checkout may have changed their line endings. */
export const shimFiles: readonly HostFile[] = Object.entries(shims).map(([name, shim]) => ({
  path: `.holdfast/${name}`,
  about: abouts[name as keyof typeof shims],
  putIn: (text) => ({ ok: true, text: text?.replaceAll("\r\n", "\n") === shim ? text : shim }),
  takeOut: (text) => ({ ok: true, text: text.includes(ownMark) ? null : text }),
}));

/**
 * The shims of a user, for all projects. They start the Holdfast that wrote them, or once that is gone the one on the
 * PATH, and never one of a project.
 */
export function userShimFiles(folder: string, installation: string): readonly HostFile[] {
  const found = `const own = join(${JSON.stringify(installation)}, program);
const found = existsSync(own) ? own : ofUser();`;
  return (["hook.cjs", "mcp.mjs"] as const).map((name) => {
    const text = shims[name]
      .replace('"holdfast init"; commit it.', '"holdfast init --user".')
      .replace("const found = inProject() ?? ofUser();", () => found);
    return {
      path: `${folder}/${name}`,
      putIn: () => ({ ok: true, text }),
      takeOut: (present) => ({ ok: true, text: present.includes('"holdfast init --user"') ? null : present }),
    };
  });
}
