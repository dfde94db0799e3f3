// Writes what is derived from the code: schema/*.json, docs/errors.md and most of plugin/. Tests fail when they differ.
import { writeFile } from "node:fs/promises";
import { pluginFiles } from "../src/hosts/claude/plugin.ts";
import { jsonSchema, schemaNames } from "../src/model/written/json-schema.ts";
import { version } from "../src/project/version.ts";
import { errorReference } from "./error-reference.ts";

for (const name of schemaNames) {
  await writeFile(`schema/${name}.json`, `${JSON.stringify(jsonSchema(name))}\n`);
}
await writeFile("docs/errors.md", errorReference());
for (const [path, text] of Object.entries(pluginFiles(version()))) await writeFile(`plugin/${path}`, text);
