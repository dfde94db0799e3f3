import { dirname, relative } from "node:path";

/** A schema that a module declares, and its type as the compiler has written it out. */
interface Schema {
  readonly file: string;
  readonly name: string;
  readonly type: string;
  readonly isExported: boolean;
}

/**
 * The compiler writes out the type of a schema wherever another schema contains it. This refers to the contained one
 * instead (`typeof Place`): the same types in a third of the text.
 */
export function shortenDeclarations(declarations: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const shortened = new Map(declarations);
  for (const schema of distinct([...declarations].flatMap(([file, text]) => schemasIn(file, text)))) {
    const written = new RegExp(`(?<![\\w.])${anyIndent(schema.type)}`, "g");
    for (const [file, text] of shortened) {
      if (file !== schema.file && !schema.isExported) continue;
      const declaration = file === schema.file ? `declare const ${schema.name}: ` : null;
      shortened.set(
        file,
        text.replaceAll(written, (type, offset: number) =>
          declaration !== null && text.endsWith(declaration, offset) ? type : referenceTo(schema, file),
        ),
      );
    }
  }
  return shortened;
}

/** Shorter than this, a type is not longer than its reference. */
const leastLength = 60;

function schemasIn(file: string, text: string): Schema[] {
  const found = text.matchAll(/^(export )?declare const (\w+): (z\.Zod.*(?:\n[ \t}].*)*);$/gm);
  return [...found].flatMap(([, exported, name = "", type = ""]) =>
    type.length < leastLength ? [] : [{ file, name, type, isExported: exported !== undefined }],
  );
}

/**
 * The largest first, before a smaller one that it contains changes its text. Of two with the same type, one: else each
 * would refer to the other.
 */
function distinct(schemas: readonly Schema[]): Schema[] {
  const sorted = [...schemas].sort(
    (one, other) => other.type.length - one.type.length || Number(other.isExported) - Number(one.isExported),
  );
  return [...new Map(sorted.toReversed().map((schema) => [schema.type, schema])).values()].toReversed();
}

/** A pattern for a type at any depth: only the indentation of its lines differs. */
function anyIndent(type: string): string {
  return type
    .split(/\n[ \t]*/)
    .map((line) => line.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&"))
    .join("\\n[ \\t]*");
}

function referenceTo({ file, name }: Schema, from: string): string {
  if (file === from) return `typeof ${name}`;
  const path = relative(dirname(from), file).replace(/\.d\.ts$/, ".js");
  return `typeof import("${path.startsWith(".") ? path : `./${path}`}").${name}`;
}
