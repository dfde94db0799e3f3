/**
 * The two small programs that a project commits. They have no dependencies and no absolute paths: they start the Holdfast
 * of the project, or the one of the user, or do nothing, so that people without Holdfast notice nothing.
 * The plugin has copies of them, which `npm run docs` writes.
 */

// Faster than importing node:fs and the like, because an import loads more of Node.
const find = String.raw`const { existsSync, readFileSync, realpathSync } = process.getBuiltinModule("node:fs");
const { delimiter, dirname, isAbsolute, join } = process.getBuiltinModule("node:path");
const { fileURLToPath, pathToFileURL } = process.getBuiltinModule("node:url");

const program = join("dist", "bin", "@program@");

/** In the project of this file, or in a folder above it. */
function inProject() {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const own = readText(join(folder, "package.json")).includes('"name": "holdfast"') ? [folder] : [];
    const found = [join(folder, "node_modules", "holdfast"), ...own].find((home) => existsSync(join(home, program)));
    if (found !== undefined) return join(found, program);
    if (dirname(folder) === folder) return undefined;
  }
}

/** The user's own: where "holdfast" on the PATH leads, as a link or as a script of npm or pnpm. */
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

/** Never shows an error to the agent; a hook writes its errors to its log. */
const hook = `
if (found !== undefined) {
  process.argv[1] = found;
  try {
    process.getBuiltinModule("node:module").createRequire(import.meta.url)(found);
  } catch {}
}
`;

/** A Stop hook without its server would show an error after every turn; with an empty reply it is silent. */
const mcp = String.raw`
const face = process.argv[2] === "statusline" ? "statusline" : "mcp";
if (found !== undefined) {
  process.argv = [process.argv[0], found, face];
  await import(pathToFileURL(found).href);
} else if (face === "mcp") {
  const { createInterface } = await import("node:readline");
  createInterface({ input: process.stdin }).on("line", answer);
}

/** Without Holdfast: a server without tools, because hosts show a missing server as an error. */
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
    "tools/call": { content: [{ type: "text", text: "{}" }] },
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
    about("Passes a hook event of the agent program to Holdfast, wherever it is installed.") +
    find.replace("@program@", "hook.cjs") +
    hook,
  "mcp.mjs":
    about("Starts the MCP server of Holdfast, or its status line, wherever it is installed.") +
    find.replace("@program@", "holdfast.js") +
    mcp,
} as const;
