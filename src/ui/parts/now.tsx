import { signal } from "@preact/signals";
import { ago, moment } from "./format.ts";

/** The time, once a second: whoever shows how long something takes reads it. */
export const now = signal(Date.now());
/** The same once every half minute, for lists of many times. */
export const slowNow = signal(Date.now());

setInterval(() => {
  if (document.visibilityState !== "visible") return;
  now.value = Date.now();
  if (now.value - slowNow.value > 30_000) slowNow.value = now.value;
}, 1_000);

export function Ago({ time }: { readonly time: string }) {
  return (
    <time dateTime={time} title={moment(time)} class="number">
      {ago(time, slowNow.value)}
    </time>
  );
}
