import { readFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { type BuildOptions, build, type Metafile, type Plugin } from "esbuild";
import { hookTracked, readAsHooksDo } from "./bundle-hook.ts";
import { asLibrary, libraryEntries } from "./bundle-library.ts";
import { allOf, apart, lateChildProcess, type Parts, refuseWideText } from "./bundle-parts.ts";
import { type Additions, mergeSmallChunks, refuseSlow, refuseZod } from "./merge-chunks.ts";

/** The faces of the program, and what only some calls of the command line load. */
const faces: Parts = {
  "holdfast-cli.js": ["src/cli/main.ts"],
  // What only shows where runs stand has no schemas, and so no zod.
  "holdfast-light.js": ["src/cli/light-queries.ts"],
  // The operations that are called most, and nothing that they need only in rare cases: they start faster than the whole.
  "holdfast-queries.js": ["src/cli/frequent-queries.ts"],
  "holdfast-commands.js": ["src/cli/frequent-commands.ts"],
  // All of these stand on the application, zod and YAML: a file for each would be 2 MB of copies.
  "holdfast-app.js": [
    "src/cli/all-operations.ts",
    "src/cli/doctor/run-doctor.ts",
    "src/cli/run/run-workflow.ts",
    "src/mcp/call-handler.ts",
    "src/project/compile-settings.ts",
    "src/app/priming/allowance.ts",
    "src/app/gates/match-files.ts",
    "src/app/workflows/parse-frozen.ts",
    "src/app/shared/team.ts",
    "src/app/continuity/ports/deliver-notices.ts",
    "src/app/workflows/user-settings.ts",
    "src/templates/reuse/load-workflow.ts",
  ],
  // Few calls are refused. The application and the library have the same texts.
  "holdfast-refusal.js": ["src/model/refusal/refusal.ts"],
  // Both ask with a list to choose from.
  "holdfast-init.js": ["src/cli/init/init.ts", "src/cli/init/pick-run.ts"],
  "holdfast-serve.js": ["src/cli/serve/run-serve.ts"],
  "holdfast-completion.js": ["src/cli/completion/run-completion.ts"],
  "holdfast-mcp.js": ["src/mcp/main.ts"],
  // Both read runs as hooks do, so they are a part of the hook program.
  [hookTracked]: readAsHooksDo,
};

const asModule = {
  bundle: true,
  minify: true,
  platform: "node",
  // What jsonc-parser has under "main" requires its own parts in a way that cannot be bundled.
  mainFields: ["module", "main"],
  format: "esm",
  target: "node20",
  // As ES modules, for browsers: of those, only what we use is bundled.
  alias: { yaml: "./node_modules/yaml/browser/dist/index.js" },
  // A bundled CommonJS module may require one of Node's own; a module has no `require`.
  banner: { js: "const require = process.getBuiltinModule;" },
  // Only who drives a model with our own agent has these, or keeps runs in PostgreSQL.
  external: ["ai", "@ai-sdk/*", "@modelcontextprotocol/client", "pg"],
  logLevel: "warning",
} satisfies BuildOptions;

/** Files of packages that bring along far more than we use, and what stands in their place in the bundle. */
const slimmer = [
  // The SDK can validate what a user has filled in, with Ajv (215 KB) or a smaller validator (22 KB). It does so only for a form
  // that is awaited within a call. Ours are answered by another call, and our own code checks what is in them.
  {
    file: /[\\/]server[\\/]dist[\\/]shimsNode\.mjs$/,
    contents: `export class DefaultJsonSchemaValidator { getValidator() { throw new Error("no validator is bundled"); } }
      export { default as process } from "node:process";`,
  },
] as const;

/**
 * The SDK makes a schema for everything in the protocol and in OAuth. Marked as pure, those that we do not use are left out. One with
 * the fields of others is never pure by itself, because reading these might do something.
 */
const schemas = {
  file: /[\\/]core[\\/]dist[\\/](?:schemas|auth)-[^\\/]+\.mjs$/,
  calls: /\b(?:z|[A-Z]\w*Schema)\.\w+\(/g,
  composed: /^(const \w+ = )(z\.\w+\(\{\n(?:\t.*\n)*?\t\.\.\..*\n(?:\t.*\n)*?\}\));$/gm,
} as const;

/**
 * These statements would keep all of them: they register a check for each type, for programs that check such values themselves.
 * Without both, the server is 19 KB smaller and starts faster.
 */
const unused = {
  file: /[\\/]server[\\/]dist[\\/]src-[^\\/]+\.mjs$/,
  statements: /^for \(const .+\) register\(key, .+\);$/gm,
  count: 2,
} as const;

const slim: Plugin = {
  name: "slim",
  setup: ({ onLoad }) => {
    for (const { file, contents } of slimmer) {
      onLoad({ filter: file }, ({ path }) => ({ contents, resolveDir: dirname(path) }));
    }
    onLoad({ filter: schemas.file }, async ({ path }) => ({
      contents: (await readFile(path, "utf8"))
        .replaceAll(schemas.composed, "$1/* @__PURE__ */ (() => $2)();")
        .replaceAll(schemas.calls, "/* @__PURE__ */ $&"),
    }));
    onLoad({ filter: unused.file }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      const found = text.match(unused.statements)?.length ?? 0;
      if (found !== unused.count) throw new Error(`${path} has changed: find anew what it registers without need`);
      return { contents: text.replaceAll(unused.statements, "") };
    });
  },
};

/**
 * Gets Node's own modules without importing them: an import reads every export, which loads much of Node that nobody
 * asked for, such as all streams for `node:fs` and WebCrypto for `node:crypto`.
 */
const builtIns: Plugin = {
  name: "built-ins",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === "import-statement" ? { path, namespace: "built-in", sideEffects: false } : undefined,
    );
    onLoad({ filter: /./, namespace: "built-in" }, async ({ path }) => {
      const module = `process.getBuiltinModule("${path}")`;
      const names = Object.keys((await import(path)).default);
      const named = names.map((name) => `export const ${name} = /* @__PURE__ */ $get("${name}");`);
      return {
        contents: [
          `const $get = (name) => ${module}[name];`,
          ...named,
          `export default /* @__PURE__ */ ${module};`,
        ].join("\n"),
      };
    });
  },
};

/**
 * Writes the program, which needs nothing but Node: a few lines, and one file for each of its faces. The library's entries are
 * written with it, into the folder above, because both load the same files.
 */
export async function bundleCli(outfile: string): Promise<void> {
  const outdir = dirname(outfile);
  await build({
    ...asModule,
    entryPoints: ["src/bin/holdfast.ts"],
    outfile,
    plugins: [apart(faces), lateChildProcess, builtIns],
  });
  await Promise.all(alone.map((file) => bundleAlone(outdir, file)));
  await bundleSharing(outdir);
}

/** These have zod, the vocabulary, the hosts and much of the application in common, which gets files of its own. */
const sharing = [
  "holdfast-mcp.js",
  "holdfast-app.js",
  "holdfast-light.js",
  "holdfast-queries.js",
  "holdfast-commands.js",
  "holdfast-refusal.js",
  "holdfast-init.js",
  "holdfast-serve.js",
];

/** Each of these starts faster as one file. */
const alone = ["holdfast-cli.js", "holdfast-completion.js"];

async function bundleSharing(outdir: string): Promise<void> {
  const draft = await build({ ...(await sharedBundles(outdir)), write: false });
  const forNode = libraryForNode.map((entry) => fileOf(outdir, entry));
  const isProgram = (file: string) => basename(file).startsWith("holdfast-");
  // The library gets only what one of its entries loads already: anything else may lead to the program's own zod.
  const mayGrow = (entry: string, loadedBy: ReadonlySet<string>) =>
    isProgram(entry) || (forNode.includes(entry) && [...loadedBy].some((file) => !isProgram(file)));
  const { metafile } = await build(await sharedBundles(outdir, mergeSmallChunks(draft.metafile, mayGrow)));
  refuseUseless(metafile);
  for (const entry of ["holdfast-queries", "holdfast-commands"]) refuseSlow(metafile, fileOf(outdir, `bin/${entry}`));
  refuseZod(metafile, fileOf(outdir, "bin/holdfast-light"));
  await Promise.all(Object.keys(metafile.outputs).map(refuseWideText));
  await Promise.all(Object.keys(metafile.outputs).map(refuseRequire));
}

/** The entries of the library that may load a little more than they need. The others are for browsers, too. */
const libraryForNode = ["index", "workflow/index", "store/conformance", "store/postgres/index"];

/** The file of an entry, as esbuild names it. */
function fileOf(outdir: string, entry: string): string {
  return relative(process.cwd(), join(dirname(outdir), `${entry}.js`));
}

async function sharedBundles(outdir: string, additions: Additions = new Map()) {
  const folder = basename(outdir);
  const added = (entry: string) => additions.get(fileOf(outdir, entry)) ?? [];
  return {
    ...asModule,
    // Browsers load some of these files, and have no `process`.
    banner: {},
    splitting: true,
    chunkNames: `${folder}/shared-[hash]`,
    entryPoints: [
      ...sharing.map((file) => ({ in: `part:${file}`, out: `${folder}/${basename(file, ".js")}` })),
      ...libraryEntries().map((entry) => ({ in: `library:${entry}`, out: entry })),
    ],
    outdir: dirname(outdir),
    metafile: true,
    plugins: [
      await asLibrary(added),
      together(faces, (file) => added(`${folder}/${basename(file, ".js")}`)),
      ...[apart(faces), eager, slim, lateChildProcess, builtIns],
    ],
  } satisfies BuildOptions;
}

/** esbuild bundles a `require` of something that is not in the bundle as a call that throws. */
async function refuseRequire(outfile: string): Promise<void> {
  const [found] = /Dynamic require of/.exec(await readFile(outfile, "utf8")) ?? [];
  if (found !== undefined) throw new Error(`${outfile}: a bundled CommonJS module requires what is not bundled`);
}

/** What nothing of ours uses, and what to do if it is bundled nevertheless. */
const useless = [
  // One use of `z` or `z.core` as a value brings all of zod along: 57 KB for every command, and messages in forty languages.
  {
    file: /zod\/v4\/locales\/fr\.js$/,
    problem: "all of zod is bundled: use only single members of `z`, as in `z.ZodError`",
  },
  {
    file: /[\\/]core[\\/]dist[\\/]auth-[^\\/]+\.mjs$/,
    problem: "the SDK's schemas for OAuth are bundled: find anew how it makes them, and mark them as pure",
  },
] as const;

function refuseUseless({ outputs }: Metafile): void {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  for (const { file, problem } of useless) {
    if (inputs.some(([input, { bytesInOutput }]) => file.test(input) && bytesInOutput > 0)) throw new Error(problem);
  }
}

/** The sources of a part as one module, with those that it loads for others. */
function together(parts: Parts, added: (file: string) => readonly string[]): Plugin {
  return {
    name: "together",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^part:/ }, ({ path }) => ({ path, namespace: "part" }));
      onLoad({ filter: /^part:/, namespace: "part" }, ({ path }) => {
        const file = path.slice("part:".length);
        return { contents: allOf(parts[file] ?? [], added(file)), resolveDir: process.cwd() };
      });
    },
  };
}

/**
 * Imports at the start what hooks import only when they need it. Otherwise esbuild would put each of these imports, and
 * everything that it shares with others, into files of their own: ninety in place of three.
 */
const eager: Plugin = {
  name: "eager",
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path }) => {
      const source = relative(process.cwd(), path);
      const text = await readFile(path, "utf8");
      const found: string[] = [];
      const contents = text.replace(/await import\("(\.[^"]+)"\)/g, (whole, target: string) => {
        if (isPart(join(dirname(source), target)) || target.endsWith("/check-snapshot.ts")) return whole;
        found.push(`import * as eager${found.length} from "${target}";`);
        return `eager${found.length - 1}`;
      });
      return { contents: [...found, contents].join("\n"), loader: "ts" };
    }),
};

function isPart(source: string): boolean {
  return Object.values(faces).some((sources) => sources.includes(source));
}

/** Writes any other program as one file. */
export async function bundleProgram(outfile: string, entry: string): Promise<void> {
  await build({ ...asModule, entryPoints: [entry], outfile });
}

async function bundleAlone(outdir: string, file: string): Promise<void> {
  const stdin = { contents: allOf(faces[file] ?? []), resolveDir: process.cwd() };
  const outfile = join(outdir, file);
  await build({ ...asModule, stdin, outfile, plugins: [apart(faces), slim, lateChildProcess, builtIns] });
  await refuseWideText(outfile);
}
