import type { Metafile } from "esbuild";

/** Below this many bytes, it takes longer to open a file than to load its code where nobody needs it. */
const least = 16_000;

/** Each of these makes many schemas when it is loaded, which takes longer than to open a file. */
const slow = ["src/model/run.ts", "src/model/artifact.ts"];

interface Chunk {
  readonly file: string;
  readonly bytes: number;
  readonly sources: readonly string[];
  readonly imports: readonly string[];
  /** The files of the entries that load it. */
  readonly entries: ReadonlySet<string>;
}

/** The sources that an entry, by its file, has to import besides those that it needs. */
export type Additions = ReadonlyMap<string, readonly string[]>;

/**
 * esbuild writes a file for each set of entries that share sources, however small it is. This finds the entries that must import
 * more than they need, so that a small file becomes a part of the next larger set's. `mayGrow` says whether an entry
 * may get sources that these entries load.
 */
export function mergeSmallChunks(
  { outputs }: Metafile,
  mayGrow: (entry: string, loadedBy: ReadonlySet<string>) => boolean,
): Additions {
  const chunks = chunksIn(outputs);
  const additions = new Map<string, string[]>();
  // One merge can make way for another.
  for (let merged = true; merged; ) {
    merged = false;
    for (const [index, chunk] of chunks.entries()) {
      const isSmall = chunk.bytes < least && !slow.some((source) => chunk.sources.includes(source));
      const entries = isSmall ? nextLarger(chunk, chunks, mayGrow) : undefined;
      if (entries === undefined) continue;
      merged = true;
      chunks[index] = { ...chunk, entries };
      for (const entry of missing(chunk.entries, entries)) {
        additions.set(entry, [...(additions.get(entry) ?? []), ...chunk.sources]);
      }
    }
  }
  return additions;
}

/** Throws if an entry, by its file, loads what makes it start slowly. */
export function refuseSlow(metafile: Metafile, entry: string): void {
  refuseSource(metafile, entry, (source) => slow.includes(source));
}

/** Throws if an entry, by its file, loads zod. */
export function refuseZod(metafile: Metafile, entry: string): void {
  refuseSource(metafile, entry, (source) => source.startsWith("node_modules/zod/"));
}

function refuseSource({ outputs }: Metafile, entry: string, isRefused: (source: string) => boolean): void {
  const files = [...withAllBehind(entry, importsIn(outputs))];
  const found = files.flatMap((file) => Object.keys(outputs[file]?.inputs ?? {})).find(isRefused);
  if (found !== undefined) throw new Error(`${entry} loads ${found}: import it only where it is needed`);
}

function importsIn(outputs: Metafile["outputs"]): (file: string) => readonly string[] {
  return (file) =>
    (outputs[file]?.imports ?? []).flatMap(({ path, kind }) =>
      kind === "import-statement" && outputs[path] !== undefined ? [path] : [],
    );
}

function chunksIn(outputs: Metafile["outputs"]): Chunk[] {
  const importsOf = importsIn(outputs);
  const files = Object.keys(outputs);
  const loads = new Map(files.map((file) => [file, withAllBehind(file, importsOf)]));
  const entries = files.filter((file) => outputs[file]?.entryPoint !== undefined);
  return files
    .filter((file) => !entries.includes(file))
    .map((file) => ({
      file,
      bytes: outputs[file]?.bytes ?? 0,
      sources: Object.keys(outputs[file]?.inputs ?? {}).filter((source) => /^(?:src|node_modules)\//.test(source)),
      imports: importsOf(file),
      entries: new Set(entries.filter((entry) => loads.get(entry)?.has(file))),
    }));
}

function withAllBehind(file: string, importsOf: (file: string) => readonly string[]): ReadonlySet<string> {
  const found = new Set([file]);
  // A set is walked with what is added to it on the way.
  for (const each of found) for (const path of importsOf(each)) found.add(path);
  return found;
}

/** The entries of the chunk that the fewest more entries load, which already load all that this one needs. */
function nextLarger(
  chunk: Chunk,
  chunks: readonly Chunk[],
  mayGrow: (entry: string, loadedBy: ReadonlySet<string>) => boolean,
): ReadonlySet<string> | undefined {
  const needed = chunks.filter(({ file }) => chunk.imports.includes(file));
  return chunks
    .map(({ entries }) => entries)
    .filter(
      (entries) =>
        entries.size > chunk.entries.size &&
        missing(entries, chunk.entries).length === 0 &&
        missing(chunk.entries, entries).every((entry) => mayGrow(entry, chunk.entries)) &&
        needed.every((each) => missing(each.entries, entries).length === 0),
    )
    .sort((one, other) => one.size - other.size)[0];
}

/** Those of the second that are not among the first. */
function missing(first: ReadonlySet<string>, second: ReadonlySet<string>): string[] {
  return [...second].filter((entry) => !first.has(entry));
}
