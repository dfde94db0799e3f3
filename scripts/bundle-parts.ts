import { readFile } from "node:fs/promises";
import { relative, resolve } from "node:path";
import type { Plugin } from "esbuild";

/** Which sources stand together in which file, where they are imported only when they are needed. */
export type Parts = Readonly<Record<string, readonly string[]>>;

/** What is imported only when it is needed stands in its own file; few and large ones load faster than many small ones. */
export function apart(parts: Parts): Plugin {
  return {
    name: "apart",
    setup: ({ onResolve }) =>
      onResolve({ filter: /\.ts$/ }, ({ kind, path, resolveDir }) => {
        const source = relative(process.cwd(), resolve(resolveDir, path));
        const file = Object.entries(parts).find(([, sources]) => sources.includes(source))?.[0];
        return kind === "dynamic-import" && file !== undefined ? { path: `./${file}`, external: true } : undefined;
      }),
  };
}

/** A module that exports all that these sources do, and loads others besides. */
export function allOf(sources: readonly string[], others: readonly string[] = []): string {
  const exports = sources.map((source) => `export * from "./${source}";`);
  return [...others.map((source) => `import "./${source}";`), ...exports].join("\n");
}

/** Loads `node:child_process` with the first call: most processes start no other, and it brings sockets along. */
export const lateChildProcess: Plugin = {
  name: "late-child-process",
  setup({ onResolve, onLoad }) {
    const path = "node:child_process";
    onResolve({ filter: /^node:child_process$/ }, ({ namespace }) => ({
      path,
      // A copy for each part of the hook program, which has a namespace for each.
      namespace: `late-${namespace}`,
      sideEffects: false,
    }));
    onLoad({ filter: /^node:child_process$/ }, () => {
      const late = (name: string) =>
        `export const ${name} = (...words) => process.getBuiltinModule("${path}").${name}(...words);`;
      return { contents: ["execFile", "execFileSync", "spawn", "spawnSync"].map(late).join("\n") };
    });
  },
};

/** One letter of another script makes V8 hold and read a whole program as wide text, which takes twice as long. */
export async function refuseWideText(outfile: string): Promise<void> {
  const text = await readFile(outfile, "latin1");
  const [found] = /.{0,40}[\x80-\xFF].{0,20}/.exec(text) ?? [];
  if (found !== undefined) throw new Error(`${outfile}: write this with \\u escapes: ${found}`);
}
