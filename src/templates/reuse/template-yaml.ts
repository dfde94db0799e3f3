import { Document, visit } from "yaml";
import type { Template } from "../../model/template.ts";

/** What cannot be seen, or could move the cursor of a terminal. */
const unseen = /[^\P{Cc}\t\n]|[\p{Cs}\p{Zl}\p{Zp}\u200B\u200E\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF]/u;

/** A template as YAML that loads to the same template. Invisible characters are escaped. */
export function templateYaml(template: Template): string {
  const document = new Document(template, { version: "1.2", schema: "core", aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_, scalar) {
      // Without quotes, << would be a merge key.
      const isSpecial = typeof scalar.value === "string" && (unseen.test(scalar.value) || scalar.value === "<<");
      if (isSpecial) scalar.type = "QUOTE_DOUBLE";
    },
  });
  const text = document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER });
  return text.replace(new RegExp(unseen, "gu"), escaped);
}

/** Only texts in double quotes have such characters, and there they can be escaped. */
function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
