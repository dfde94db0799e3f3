import { readFileSync } from "node:fs";

/** The public entry points and the sources behind them: "holdfast/context" is src/context/index.ts. */
export const entryPoints: Readonly<Record<string, string>> = readEntryPoints();

function readEntryPoints(): Record<string, string> {
  const { exports } = JSON.parse(readFileSync("package.json", "utf8"));
  const entries = Object.entries(exports).flatMap(([name, target]): [string, string][] => {
    const file = typeof target === "object" && target !== null && "default" in target ? String(target.default) : "";
    const source = file.replace("./dist/", "./src/").replace(/\.js$/, ".ts");
    return source.startsWith("./src/") ? [[name.replace(/^\./, "holdfast"), source]] : [];
  });
  return Object.fromEntries(entries);
}
