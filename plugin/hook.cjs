// Passes a hook event of the agent program to Holdfast, wherever it is installed. Made by "holdfast init"; commit it.
const { existsSync, readFileSync, realpathSync, statSync } = require("node:fs");
const { delimiter, dirname, isAbsolute, join, resolve } = require("node:path");

const program = join("dist", "bin", "hook.cjs");
const refused = [];

/** In the project of this file, or in a folder above it. */
function inProject() {
  for (let folder = __dirname; ; folder = dirname(folder)) {
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
  const isOurs = [process.getuid?.(), 0, statSync(__dirname).uid].includes(statSync(real).uid);
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
  if (text.includes("dist/bin/hook.cjs")) return true;
  return text.includes("node_modules") && ["\0", "/holdfast\0", "/holdfast/"].some((end) => text.includes("node_modules" + end));
}

/** A clone whose checkout has failed has files and a commit, but no index. */
function mayHaveCommit(gitFolder) {
  const branch = /^ref: (refs\/.+)/.exec(readText(join(gitFolder, "HEAD")))?.[1] ?? "HEAD";
  return [branch, "packed-refs", "reftable", "commondir"].some((name) => existsSync(join(gitFolder, name)));
}

function askGit(cwd) {
  const paths = ["dist/bin/hook.cjs", "node_modules", "node_modules/holdfast", "node_modules/holdfast/**"];
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

if (process.argv[2] === "--which") {
  console.log(JSON.stringify({ found, refused }));
} else if (found !== undefined) {
  process.argv[1] = found;
  try {
    // A require of this file would first read the project's package.json, even if that is a pipe.
    require("node:module").createRequire(found)(found);
  } catch {}
}
