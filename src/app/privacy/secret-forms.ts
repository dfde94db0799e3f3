/** Names of environment variables whose values are secrets. */
const secretName = /(?:^|_)(?:API)?KEY(?:_|$)|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL/i;
const secretLength = 8;

/** The spellings of a variable's value that must not be stored: as it is, in Base64 and in a URL. None if it is no secret. */
export function secretForms(name: string, value: string): readonly string[] {
  if (!secretName.test(name) || value.length < secretLength) return [];
  const forms = [value, encodeURIComponent(value), ...base64Forms(value)];
  return [...new Set(forms)].filter((form) => form.length >= secretLength);
}

/**
 * How a text appears in Base64, also in the middle of a longer text: three bytes become four characters, so it has three
 * forms. The characters at both ends, which also depend on its neighbours, are left out.
 */
function base64Forms(text: string): string[] {
  const bytes = Buffer.from(text);
  return [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]);
    const first = Math.ceil((before * 8) / 6);
    const last = Math.floor((whole.length * 8) / 6);
    const usual = whole.toString("base64").slice(first, last);
    return [usual, usual.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

/** Keys of known providers, by their shape, wherever they come from. */
const keyShapes = [
  "sk-[A-Za-z0-9_-]{20,}",
  "gh[pousr]_[A-Za-z0-9]{30,}",
  "github_pat_[A-Za-z0-9_]{30,}",
  "glpat-[A-Za-z0-9_-]{20,}",
  "AKIA[A-Z0-9]{16}",
  "AIza[A-Za-z0-9_-]{30,}",
  "xox[abprs]-[A-Za-z0-9-]{20,}",
  "npm_[A-Za-z0-9]{30,}",
];

const keyShape = new RegExp(`(?<![A-Za-z0-9_-])(?:${keyShapes.join("|")})`, "g");

/** A text without the keys that are recognized by their shape. */
export function withoutKnownKeys(text: string): string {
  return text.replace(keyShape, "***");
}
