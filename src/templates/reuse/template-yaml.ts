import { Document, visit } from "yaml";
import type { Template } from "../../model/template.ts";
import { replaceUnseen } from "../../model/written/unseen-text.ts";

/** A template as YAML that loads to the same template. Invisible characters are escaped. */
export function templateYaml(template: Template): string {
  const document = new Document(template, { version: "1.2", schema: "core", aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_, scalar) {
      // Without quotes, << would be a merge key.
      const isSpecial =
        typeof scalar.value === "string" &&
        (replaceUnseen(scalar.value, () => "") !== scalar.value || scalar.value === "<<");
      if (isSpecial) scalar.type = "QUOTE_DOUBLE";
    },
  });
  const text = document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER });
  return replaceUnseen(text, escaped);
}

/** Only texts in double quotes have such characters, and there they can be escaped. */
function escaped(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\U${code.padStart(8, "0")}` : `\\u${code.padStart(4, "0")}`;
}
