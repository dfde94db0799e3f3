import { type ReadonlySignal, signal } from "@preact/signals";

/** Whether the window fits a media query, as it changes. */
export function media(query: string): ReadonlySignal<boolean> {
  const list = matchMedia(query);
  const fits = signal(list.matches);
  list.addEventListener("change", () => {
    fits.value = list.matches;
  });
  return fits;
}
