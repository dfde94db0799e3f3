import * as z from "zod";

const common = {
  /** Only these of its tools, by the names that the server gives them. */
  tools: z.array(z.string().min(1)).min(1).optional(),
  /** How long a start and a call may take. */
  seconds: z.int().min(1).max(600).optional(),
};
const Values = z.record(z.string(), z.string());

const Program = z.strictObject({
  command: z.string().min(1),
  args: z.array(z.string()).optional(),
  env: Values.optional(),
  ...common,
});
const Address = z.strictObject({ url: z.url({ protocol: /^https?$/ }), headers: Values.optional(), ...common });

/** Servers by name. All texts of one may name variables, as in `${GITHUB_TOKEN}`. */
export const McpSettings = z.record(
  z.string().regex(/^[a-zA-Z][a-zA-Z0-9_-]{0,31}$/, "a server's name has up to 32 letters, digits, _ and -"),
  z.union([Program, Address], "needs a command or a url"),
);
export type McpSettings = z.infer<typeof McpSettings>;
export type McpServerSettings = McpSettings[string];

type Env = Readonly<Record<string, string | undefined>>;

/** The settings with the values of the variables that they name; the name of one that is not set. */
export function withVariables(settings: McpServerSettings, env: Env): McpServerSettings | string {
  const missing: string[] = [];
  const fill = (text: string) =>
    text.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
      const value = env[name] ?? "";
      if (value === "") missing.push(name);
      return value;
    });
  const fillAll = (values: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fill(value)]));
  const filled =
    "url" in settings
      ? { ...settings, url: fill(settings.url), headers: fillAll(settings.headers) }
      : {
          ...settings,
          command: fill(settings.command),
          args: (settings.args ?? []).map(fill),
          env: fillAll(settings.env),
        };
  return missing[0] ?? filled;
}
