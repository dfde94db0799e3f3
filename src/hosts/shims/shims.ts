/**
 * The small programs that a project commits. They have no dependencies and no absolute paths: they start the Holdfast
 * of the project, or the one of the user, or do nothing, so that people without Holdfast notice nothing.
 * The plugin has copies of them, which `npm run docs` writes.
 */

const find = String.raw`
const program = join("dist", "bin", "@program@");

/** In the project of this file, or in a folder above it. */
function inProject() {
  for (let folder = @here@; ; folder = dirname(folder)) {
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

/** CommonJS, which starts faster than a module. Never shows an error to the agent; a hook writes its errors to its log. */
const hook = `const { existsSync, readFileSync, realpathSync } = require("node:fs");
const { delimiter, dirname, isAbsolute, join } = require("node:path");
${found("hook.cjs", "__dirname")}
if (found !== undefined) {
  process.argv[1] = found;
  try {
    require(found);
  } catch {}
}
`;

/** For hosts whose settings name it: some ask their user again when a command changes. */
const hookModule = `try {
  process.getBuiltinModule("node:module").createRequire(import.meta.url)("./hook.cjs");
} catch {}
`;

/**
 * Hooks that an older version has set up call this server; with an empty reply they are silent. An import of node:fs
 * would load more of Node.
 */
const mcp = String.raw`const { existsSync, readFileSync, realpathSync } = process.getBuiltinModule("node:fs");
const { delimiter, dirname, isAbsolute, join } = process.getBuiltinModule("node:path");
const { fileURLToPath, pathToFileURL } = process.getBuiltinModule("node:url");
${found("holdfast.js", "dirname(fileURLToPath(import.meta.url))")}
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

const passes = "Passes a hook event of the agent program to Holdfast, wherever it is installed.";

export const shims = {
  "hook.cjs": about(passes) + hook,
  "hook.mjs": about(passes) + hookModule,
  "mcp.mjs": about("Starts the MCP server of Holdfast, or its status line, wherever it is installed.") + mcp,
} as const;

function about(what: string): string {
  return `// ${what} Made by "holdfast init"; commit it.\n`;
}

function found(program: string, here: string): string {
  return find.replace("@program@", program).replace("@here@", here);
}
