// Starts the MCP server of Holdfast, or its status line, wherever it is installed. Made by "holdfast init"; commit it.
const { existsSync, readFileSync, realpathSync } = process.getBuiltinModule("node:fs");
const { delimiter, dirname, isAbsolute, join } = process.getBuiltinModule("node:path");
const { fileURLToPath, pathToFileURL } = process.getBuiltinModule("node:url");

const program = join("dist", "bin", "holdfast.js");

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
