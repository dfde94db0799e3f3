/**
 * The small programs that a project commits. They have no dependencies and no absolute paths: they start the Holdfast
 * of the project, or the one of the user, or do nothing, so that people without Holdfast notice nothing.
 * The plugin has copies of them, which `npm run docs` writes.
 */

/** Makes a shim tell what it has found, and run nothing. */
export const whichFlag = "--which";

const find = String.raw`
const program = join("dist", "bin", "@program@");
const refused = [];

/** In the project of this file, or in a folder above it. */
function inProject() {
  for (let folder = @here@; ; folder = dirname(folder)) {
    const own = readText(join(folder, "package.json")).includes('"name": "holdfast"') ? [folder] : [];
    const homes = [join(folder, "node_modules", "holdfast"), ...own];
    const found = homes.map((home) => join(home, program)).find(mayRun);
    if (found !== undefined || dirname(folder) === folder) return found;
  }
}

/** The user's own: where "holdfast" on the PATH leads, as a link or as a script of npm or pnpm. */
function ofUser() {
  const folders = (process.env.PATH ?? "").split(delimiter).filter(isAbsolute);
  for (const file of folders.flatMap((folder) => [join(folder, "holdfast"), join(folder, "holdfast.cmd")])) {
    if (!isFile(file)) continue;
    const script = /(?:basedir|dp0)%?[\\/]([^"'\r\n]*?[\\/]dist[\\/]bin[\\/])holdfast\.js/.exec(readText(file));
    const bin = script === null ? dirname(realpathSync(file)) : join(dirname(file), script[1].replaceAll("\\", "/"));
    const found = join(bin, "..", "..", program);
    if (mayRun(found)) return found;
  }
}

/** A clone is not an installation: nothing runs that git tracks, or that another user has put above the project. */
function mayRun(file) {
  if (!isFile(file)) return false;
  const real = realpathSync(file);
  const isOurs = [process.getuid?.(), 0, statSync(@here@).uid].includes(statSync(real).uid);
  if (isOurs && real.endsWith(program) && ![...new Set([file, real])].some(isTracked)) return true;
  refused.push(file);
  return false;
}

function isTracked(file) {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const git = join(folder, ".git");
    const link = /^gitdir: (.+)$/m.exec(readText(git))?.[1] ?? git;
    if (existsSync(git)) return isInIndex(join(resolve(folder, link.trim()), "index"), folder);
    if (dirname(folder) === folder) return false;
  }
}

/** Looks for the path in the bytes of the index, because starting git takes longer. A link in place of a folder counts. */
function isInIndex(index, top) {
  if (!isFile(index)) return existsSync(index) || mayHaveCommit(dirname(index));
  // Version 4 shortens paths, and a split index keeps them in another file; one may be too long to hold.
  const bytes = attempt(() => (isFile(index, 2 ** 26) ? readFileSync(index) : "link\0"));
  if (bytes === undefined) return true;
  if (bytes[7] > 3 || bytes.includes("link\0")) return askGit(top);
  // File systems may ignore the case.
  const text = process.platform === "linux" ? bytes : bytes.toString("latin1").toLowerCase();
  if (text.includes("dist/bin/@program@")) return true;
  return text.includes("node_modules") && ["\0", "/holdfast\0", "/holdfast/"].some((end) => text.includes("node_modules" + end));
}

/** A clone whose checkout has failed has files and a commit, but no index. */
function mayHaveCommit(gitFolder) {
  const branch = /^ref: (refs\/.+)/.exec(readText(join(gitFolder, "HEAD")))?.[1] ?? "HEAD";
  return [branch, "packed-refs", "reftable", "commondir"].some((name) => existsSync(join(gitFolder, name)));
}

function askGit(cwd) {
  const paths = ["dist/bin/@program@", "node_modules", "node_modules/holdfast", "node_modules/holdfast/**"];
  const words = ["-c", "core.fsmonitor=false", "ls-files", "--", ...paths.map((path) => ":(glob,icase)**/" + path)];
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const { status, stdout } = spawnSync("git", words, { cwd, timeout: 1000 });
  return status !== 0 || stdout.length > 0;
}

function isFile(file, most = Infinity) {
  const there = attempt(() => statSync(file));
  return there?.isFile() === true && there.size < most;
}

function readText(file) {
  return (isFile(file, 2 ** 20) && attempt(() => readFileSync(file, "utf8"))) || "";
}

/** Undefined for a link to itself, a file in place of a folder, a name that no file can have. */
function attempt(look) {
  try {
    return look();
  } catch {}
}

const found = inProject() ?? ofUser();
`;

/** `doctor` asks what would be run before it runs anything. */
const tells = `process.argv[2] === "${whichFlag}"`;

/** CommonJS, which starts faster than a module. Never shows an error to the agent; a hook writes its errors to its log. */
const hook = `const { existsSync, readFileSync, realpathSync, statSync } = require("node:fs");
const { delimiter, dirname, isAbsolute, join, resolve } = require("node:path");
${found("hook.cjs", "__dirname")}
if (${tells}) {
  console.log(JSON.stringify({ found, refused }));
} else if (found !== undefined) {
  process.argv[1] = found;
  try {
    // A require of this file would first read the project's package.json, even if that is a pipe.
    require("node:module").createRequire(found)(found);
  } catch {}
}
`;

/** For hosts whose settings name it: some ask their user again when a command changes. */
const hookModule = `try {
  process.getBuiltinModule("node:module").createRequire("/")(import.meta.dirname + "/hook.cjs");
} catch {}
`;

/**
 * Hooks that an older version has set up call this server; with an empty reply they are silent. An import of node:fs
 * would load more of Node.
 */
const mcp = String.raw`const { existsSync, readFileSync, realpathSync, statSync } = process.getBuiltinModule("node:fs");
const { delimiter, dirname, isAbsolute, join, resolve } = process.getBuiltinModule("node:path");
const { fileURLToPath, pathToFileURL } = process.getBuiltinModule("node:url");
${found("holdfast.js", "dirname(fileURLToPath(import.meta.url))")}
const face = process.argv[2] === "statusline" ? "statusline" : "mcp";
if (${tells}) {
  console.log(JSON.stringify({ found, refused }));
} else if (found !== undefined) {
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
  return find.replaceAll("@program@", program).replaceAll("@here@", here);
}
