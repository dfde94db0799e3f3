import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import ts from "typescript";

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

/** What the compiler says about these texts, under the project's own strict settings. */
export function typeProblems(texts: ReadonlyMap<string, string>): string[] {
  const { config } = ts.readConfigFile("tsconfig.json", ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [] }, ts.sys, ".");
  const paths = Object.fromEntries(Object.entries(entryPoints).map(([name, source]) => [name, [source]]));
  const files = new Map([...texts].map(([name, text]) => [resolve(name), text]));
  // An example may declare what it does not use.
  const relaxed = { ...options, paths, noUnusedLocals: false, noUnusedParameters: false };
  const host = ts.createCompilerHost(relaxed);
  const { fileExists, readFile } = host;
  host.fileExists = (file) => files.has(file) || fileExists(file);
  host.readFile = (file) => files.get(file) ?? readFile(file);
  const program = ts.createProgram([...files.keys()], relaxed, host);
  const sources = [...files.keys()].map((file) => program.getSourceFile(file));
  const problems = sources.flatMap((source) => [
    ...program.getSyntacticDiagnostics(source),
    ...program.getSemanticDiagnostics(source),
  ]);
  return problems.map(
    ({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`,
  );
}
