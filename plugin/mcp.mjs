// Starts the MCP server of Holdfast, or its status line, wherever it is installed. Made by "holdfast init"; commit it.
const { existsSync, readFileSync, realpathSync, statSync } = process.getBuiltinModule("node:fs");
const { delimiter, dirname, isAbsolute, join, resolve } = process.getBuiltinModule("node:path");
const { fileURLToPath, pathToFileURL } = process.getBuiltinModule("node:url");

const program = join("dist", "bin", "holdfast.js");
const refused = [];

/** In the project of this file, or in a folder above it. */
function inProject() {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
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
  const isOurs = [process.getuid?.(), 0, statSync(dirname(fileURLToPath(import.meta.url))).uid].includes(statSync(real).uid);
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
  if (text.includes("dist/bin/holdfast.js")) return true;
  return text.includes("node_modules") && ["\0", "/holdfast\0", "/holdfast/"].some((end) => text.includes("node_modules" + end));
}

/** A clone whose checkout has failed has files and a commit, but no index. */
function mayHaveCommit(gitFolder) {
  const branch = /^ref: (refs\/.+)/.exec(readText(join(gitFolder, "HEAD")))?.[1] ?? "HEAD";
  return [branch, "packed-refs", "reftable", "commondir"].some((name) => existsSync(join(gitFolder, name)));
}

function askGit(cwd) {
  const paths = ["dist/bin/holdfast.js", "node_modules", "node_modules/holdfast", "node_modules/holdfast/**"];
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

const face = process.argv[2] === "statusline" ? "statusline" : "mcp";
if (process.argv[2] === "--which") {
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
