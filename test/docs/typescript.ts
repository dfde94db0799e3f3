import { resolve } from "node:path";
import ts from "typescript";
import { entryPoints } from "./entry-points.ts";

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
