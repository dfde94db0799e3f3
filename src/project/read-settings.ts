import { isAbsolute, join, normalize } from "node:path";
import { parse, YAMLParseError } from "yaml";
import * as z from "zod";
import { CriticalArtifacts } from "../model/artifact.ts";
import { readBytesNow } from "../platform/files.ts";
import { stateFolder } from "../platform/roots.ts";
import { defaultSettings, type Settings, shows, sources } from "./settings.ts";

const settingsFile = "config.yaml";

const onOff = z.union([z.boolean(), z.enum(["on", "off"])]).transform((value) => value === true || value === "on");
const text = z.string().min(1);
const inside = text.refine(
  (path) => !isAbsolute(path) && !/^\.\.?(?:[/\\]|$)/.test(normalize(path)),
  "must be inside the project",
);

const Config = z.strictObject({
  cards: z.union([onOff, z.strictObject({ folder: inside })]).optional(),
  handoff: z
    .strictObject({
      limit: z.int().min(1_000).max(10_000).optional(),
      show: z.partialRecord(z.enum(sources), z.enum(shows)).optional(),
    })
    .optional(),
  tracked: z
    .union([
      onOff,
      z.strictObject({
        local: z.array(text).optional(),
        plans: z.array(text).optional(),
        markers: z.array(text).optional(),
      }),
    ])
    .optional(),
  critical_artifacts: CriticalArtifacts.optional(),
  hostname: onOff.optional(),
  patience_seconds: z.number().positive().max(3_600).optional(),
});

export type ReadSettings =
  | { readonly ok: true; readonly settings: Settings }
  | { readonly ok: false; readonly problem: string };

/** Reads `.holdfast/config.yaml`, which must exist: the settings, or what is wrong with the file. */
export function readSettings(stateRoot: string): ReadSettings {
  const bytes = readBytesNow(join(stateRoot, stateFolder, settingsFile));
  if (bytes.length > longest) return { ok: false, problem: "it is too long" };
  const value = parseYaml(Buffer.from(bytes).toString("utf8"));
  if (!value.ok) return value;
  const parsed = Config.safeParse(value.value ?? {});
  if (parsed.success) return { ok: true, settings: settingsOf(parsed.data) };
  const [issue] = parsed.error.issues;
  return { ok: false, problem: `${issue?.path.join(".") || "the file"}: ${issue?.message ?? "is invalid"}` };
}

const longest = 256 * 1024;

function parseYaml(source: string) {
  try {
    return { ok: true, value: parse(source, { maxAliasCount: 10 }) as unknown } as const;
  } catch (error) {
    if (!(error instanceof YAMLParseError) && !(error instanceof ReferenceError)) throw error;
    return { ok: false, problem: error.message.split("\n", 1)[0] ?? "it is no YAML" } as const;
  }
}

function settingsOf(config: z.infer<typeof Config>): Settings {
  const { cards, handoff, tracked, critical_artifacts: critical, hostname, patience_seconds } = config;
  const { show } = defaultSettings.handoff;
  return {
    cards: {
      ...defaultSettings.cards,
      ...(typeof cards === "boolean" ? { on: cards } : cards),
    },
    handoff: { limit: handoff?.limit ?? null, show: { ...show, ...handoff?.show } },
    tracked: {
      ...defaultSettings.tracked,
      ...(typeof tracked === "boolean" ? { on: tracked } : withoutUndefined(tracked ?? {})),
    },
    artifacts: [...(critical?.always_load ?? []), ...(critical?.conditional_load ?? [])],
    hostname: hostname ?? defaultSettings.hostname,
    patienceSeconds: patience_seconds ?? null,
  };
}

function withoutUndefined<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
