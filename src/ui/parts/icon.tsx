/** Drawn on a field of 16 by 16, with a line of 1.5. */
const paths = {
  runs: "M2.5 4h11M2.5 8h11M2.5 12h7",
  inbox: "M2.5 9.5 4.2 3.6h7.6l1.7 5.9v3H2.5zM2.5 9.5h3.2l.8 1.5h3l.8-1.5h3.2",
  workflows:
    "M5 3.5a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0ZM14 8a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0ZM5 12.5a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0ZM5 3.5h1.5a2 2 0 0 1 2 2V6a2 2 0 0 0 2 2H11M5 12.5h1.5a2 2 0 0 0 2-2V10a2 2 0 0 1 2-2",
  costs: "M2.5 13.5v-4M6.2 13.5v-8M9.8 13.5v-6M13.5 13.5v-11",
  search: "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM10.4 10.4l3.1 3.1",
  sun: "M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6ZM8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M3.4 12.6l.7-.7M11.9 4.1l.7-.7",
  moon: "M13.3 9.6A5.6 5.6 0 0 1 6.4 2.7a5.6 5.6 0 1 0 6.9 6.9Z",
  screen: "M2.5 3.5h11v7h-11zM6 13.5h4M8 10.5v3",
  "needs-you": "M8 14a6 6 0 1 0 0-12 6 6 0 0 0 0 12ZM8 5v3.6M8 11.1v.05",
  working: "M8 2a6 6 0 1 1-6 6M8 5.2V8l2 1.4",
  waiting: "M8 14a6 6 0 1 0 0-12 6 6 0 0 0 0 12ZM6.3 5.9v4.2M9.7 5.9v4.2",
  done: "M8 14a6 6 0 1 0 0-12 6 6 0 0 0 0 12ZM5.4 8.2l1.8 1.8 3.5-3.8",
  failed: "M8 14a6 6 0 1 0 0-12 6 6 0 0 0 0 12ZM6 6l4 4M10 6l-4 4",
  skipped: "M8 14a6 6 0 1 0 0-12 6 6 0 0 0 0 12ZM6.2 5.6 8.6 8l-2.4 2.4M10 5.6v4.8",
  ahead: "M8 14a6 6 0 1 0 0-12 6 6 0 0 0 0 12Z",
  left: "M8 14a6 6 0 1 0 0-12 6 6 0 0 0 0 12ZM5.5 8h5",
  clock: "M8 14a6 6 0 1 0 0-12 6 6 0 0 0 0 12ZM8 4.8V8l2.2 1.4",
  retry: "M13 8a5 5 0 1 1-1.5-3.6M13 2.2v2.9h-2.9",
  gate: "M8 1.8 13 3.6v4c0 3.2-2.1 5.5-5 6.6-2.9-1.1-5-3.4-5-6.6v-4zM5.8 7.9l1.6 1.6 2.9-3",
  coin: "M8 14a6 6 0 1 0 0-12 6 6 0 0 0 0 12ZM9.9 6.2C9.6 5.4 8.9 5 8 5c-1.1 0-1.9.6-1.9 1.5 0 2.1 3.9.9 3.9 3 0 .9-.9 1.5-2 1.5-1 0-1.8-.5-2.1-1.3M8 4v8",
  compress: "M2.5 2.5l4 4M6.5 3.5v3h-3M13.5 13.5l-4-4M9.5 12.5v-3h3",
  machine: "M3.5 3h9v7h-9zM1.8 13h12.4",
  file: "M4 1.8h5l3 3v9.4H4zM9 1.8v3h3",
  person: "M8 7.5a2.7 2.7 0 1 0 0-5.4 2.7 2.7 0 0 0 0 5.4ZM2.8 14c.4-2.8 2.5-4.4 5.2-4.4s4.8 1.6 5.2 4.4",
  loop: "M4.5 5.5h6a2.5 2.5 0 0 1 2.5 2.5M11.5 10.5h-6A2.5 2.5 0 0 1 3 8M6.5 3.5l-2 2 2 2M9.5 8.5l2 2-2 2",
  command: "M2.5 3h11v10h-11zM5 6l2 2-2 2M8.5 10.2H11",
  action: "M9 1.8 3.8 9H8l-1 5.2L12.2 7H8z",
  history: "M2.6 6.5A5.6 5.6 0 1 1 2.4 8.8M2.3 3.2v3.3h3.3M8 5v3.2l2 1.3",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  play: "M4.5 3v10l8-5z",
  stop: "M4 4h8v8H4z",
  next: "M6 3.5 10.5 8 6 12.5",
  previous: "M10 3.5 5.5 8l4.5 4.5",
  down: "M3.5 6 8 10.5 12.5 6",
  up: "M3.5 10 8 5.5l4.5 4.5",
  close: "M4 4l8 8M12 4l-8 8",
  check: "M3 8.5l3.2 3.2L13 4.8",
  lock: "M3.5 7.5h9v6h-9zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5",
  warning: "M8 2.3 14.3 13.3H1.7zM8 6.5v3M8 11.4v.05",
  event: "M8 9.8a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6Z",
  folder: "M2 4h4l1.5 1.8H14v7.2H2z",
} as const;

export type IconName = keyof typeof paths;

/** Decoration: beside it, there is a text that says the same. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
