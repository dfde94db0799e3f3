// Passes a hook event of the agent program to Holdfast, wherever it is installed. Made by "holdfast init"; commit it.
const { existsSync, readFileSync, realpathSync } = require("node:fs");
const { delimiter, dirname, isAbsolute, join } = require("node:path");

const program = join("dist", "bin", "hook.cjs");

/** In the project of this file, or in a folder above it. */
function inProject() {
  for (let folder = __dirname; ; folder = dirname(folder)) {
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

if (found !== undefined) {
  process.argv[1] = found;
  try {
    require(found);
  } catch {}
}
