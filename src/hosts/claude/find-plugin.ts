import { isRecord } from "../../model/json.ts";
import { readJson, valueAt } from "../entries/json-text.ts";

/** Whether our plugin is on, after the project's settings, those of its owner and the user's: the second win, the last lose. */
export function isPluginOn([project = null, local = null, user = null]: readonly (string | null)[]): boolean {
  const said = [user, project, local].flatMap((text) => {
    const plugins = Object.entries(Object(valueAt(valueIn(text), ["enabledPlugins"])));
    return plugins.filter(([name]) => isOurs(name)).map(([, on]) => on === true);
  });
  return said.at(-1) === true;
}

/** Where Claude Code has put our plugin, from its own list; null when that does not say. */
export function pluginFolder(list: string | null): string | null {
  const plugins = Object.entries(Object(valueAt(valueIn(list), ["plugins"])));
  const ours = plugins.filter(([name]) => isOurs(name)).flatMap(([, installed]) => installed);
  const paths = ours.map((each) => (isRecord(each) ? each.installPath : undefined));
  return paths.find((path) => typeof path === "string") ?? null;
}

function isOurs(name: string): boolean {
  return name.startsWith("holdfast@");
}

function valueIn(text: string | null): unknown {
  const reading = readJson(text ?? "");
  return reading.ok ? reading.value : {};
}
