import { isCancel, multiselect } from "@clack/prompts";
import type { Host } from "../../hosts/contract/host.ts";
import type { Io } from "../terminal/io.ts";
import { nameFiles } from "./name-files.ts";

/** Lets a person at a terminal choose hosts from a list. Cancelling with Ctrl-C or Esc chooses none. */
export async function chooseHosts(
  message: string,
  offered: readonly Host[],
  preselected: readonly Host[],
  io: Io,
): Promise<readonly Host[]> {
  const chosen = await multiselect({
    message,
    options: offered.map(({ name, title, files }) => ({
      value: name,
      label: title,
      hint: nameFiles(files.map(({ path }) => path)),
    })),
    initialValues: preselected.map(({ name }) => name),
    required: false,
    signal: io.signal,
  });
  return isCancel(chosen) ? [] : offered.filter(({ name }) => chosen.includes(name));
}
