import { isRecord } from "../../model/json.ts";
import { readJson, valueAt } from "../entries/json-text.ts";

/** Whether our plugin is enabled. Local project settings win over project settings, and these over user settings. */
export function isPluginOn([project = null, local = null, user = null]: readonly (string | null)[]): boolean {
  const said = [user, project, local].flatMap((text) => {
    const plugins = Object.entries(Object(valueAt(valueIn(text), ["enabledPlugins"])));
    return plugins.filter(([name]) => isOurs(name)).map(([, on]) => on === true);
  });
  return said.at(-1) === true;
}

/** The folder of our plugin according to Claude Code's list of plugins; null if it is not in there. */
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
