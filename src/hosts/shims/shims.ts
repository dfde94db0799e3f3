/**
 * The two small programs that a project commits. They have no dependency and know no path of any machine: they find the
 * project's own Holdfast, else the user's, else they do nothing, so that whoever has none of it notices nothing.
 * The plugin has copies of them, which `npm run docs` writes.
 */

// An import of one of Node's own modules loads more of Node than this does, and a hook has no time to lose.
const find = String.raw`const { existsSync, readFileSync, realpathSync } = process.getBuiltinModule("node:fs");
const { delimiter, dirname, isAbsolute, join } = process.getBuiltinModule("node:path");
const { fileURLToPath, pathToFileURL } = process.getBuiltinModule("node:url");

const program = join("dist", "bin", "@program@");

/** In the project that this file lies in, or above it. */
function inProject() {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const own = readText(join(folder, "package.json")).includes('"name": "holdfast"') ? [folder] : [];
    const found = [join(folder, "node_modules", "holdfast"), ...own].find((home) => existsSync(join(home, program)));
    if (found !== undefined) return join(found, program);
    if (dirname(folder) === folder) return undefined;
  }
}

/** The user's: where "holdfast" on the PATH leads, as a link or as one of the scripts that npm and pnpm write. */
function ofUser() {
  const folders = (process.env.PATH ?? "").split(delimiter).filter(isAbsolute);
  for (const file of folders.flatMap((folder) => [join(folder, "holdfast"), join(folder, "holdfast.cmd")])) {
    if (!existsSync(file)) continue;
    const script = /(?:basedir|dp0)%?[\\/]([^"'\r\n]*?[\\/]dist[\\/]bin[\\/])holdfast\.js/.exec(readText(file));
    const bin = script === null ? dirname(realpathSync(file)) : join(dirname(file), script[1].replaceAll("\\", "/"));
    const found = join(bin, "..", "..", program);
    if (existsSync(found)) return found;
  }
}

function readText(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

const found = inProject() ?? ofUser();
`;

/** It never disturbs the agent; what a hook has to say about its own troubles is in its log. */
const hook = `
if (found !== undefined) {
  process.argv[1] = found;
  try {
    process.getBuiltinModule("node:module").createRequire(import.meta.url)(found);
  } catch {}
}
`;

/** A Stop hook whose server is missing shows an error at the end of every turn; one with an empty answer is silent. */
const mcp = String.raw`
if (found !== undefined) {
  process.argv = [process.argv[0], found, "mcp"];
  await import(pathToFileURL(found).href);
} else {
  const { createInterface } = await import("node:readline");
  createInterface({ input: process.stdin }).on("line", answer);
}

/** Without Holdfast: a server that has no tools and nothing to say, because a missing one is shown as an error. */
function answer(line) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined || method === undefined) return;
  const answers = {
    __proto__: null,
    initialize: {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "holdfast", version: "0.0.0" },
    },
    "tools/list": { tools: [] },
    "tools/call": { content: [{ type: "text", text: "" }] },
    ping: {},
  };
  const result = answers[method];
  const error = { code: -32601, message: "Holdfast is not installed on this machine" };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...(result ? { result } : { error }) }) + "\n");
}
`;

const about = (what: string) => `// ${what} Made by "holdfast init"; commit it.\n`;

export const shims = {
  "hook.mjs":
    about("Hands an event of the agent program to Holdfast, wherever that is installed.") +
    find.replace("@program@", "hook.cjs") +
    hook,
  "mcp.mjs":
    about("Starts Holdfast's MCP server, wherever that is installed.") + find.replace("@program@", "holdfast.js") + mcp,
} as const;
