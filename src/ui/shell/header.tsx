import { inbox, projects } from "../api/known.ts";
import { type Connection, connection } from "../api/live.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { nextTheme, theme } from "../parts/theme.ts";
import { visibleText } from "../parts/visible.ts";
import { query, type Route, route, setQuery } from "../route/route.ts";
import { showHelp } from "./help.tsx";

interface Entry {
  readonly href: string;
  readonly name: string;
  readonly icon: IconName;
  readonly screens: readonly Route["screen"][];
}

const entries: readonly Entry[] = [
  { href: "/runs", name: "Runs", icon: "runs", screens: ["runs", "run", "past"] },
  { href: "/inbox", name: "Inbox", icon: "inbox", screens: ["inbox"] },
  { href: "/workflows", name: "Workflows", icon: "workflows", screens: ["workflows", "workflow"] },
  { href: "/costs", name: "Costs", icon: "costs", screens: ["costs"] },
];

export function Header() {
  const project = query.value.get("project");
  const suffix = project === null ? "" : `?project=${encodeURIComponent(project)}`;
  return (
    <header class="header">
      <a class="brand" href={`/runs${suffix}`} aria-label="Holdfast, all runs">
        <Anchor />
        <span>Holdfast</span>
      </a>
      <nav class="nav" aria-label="Screens">
        {entries.map(({ href, name, icon, screens }) => (
          <a
            key={href}
            href={href + suffix}
            class="nav-link"
            aria-current={screens.includes(route.value.screen) ? "page" : undefined}
          >
            <Icon name={icon} />
            <span class="nav-name">{name}</span>
            {name === "Inbox" && <InboxCount />}
          </a>
        ))}
      </nav>
      <div class="header-end">
        <ProjectPicker />
        <ConnectionMark state={connection.value} />
        <ThemeSwitch />
        <button
          type="button"
          class="icon-button wide-only"
          aria-label="Show the keys"
          title="Keys (?)"
          onClick={showHelp}
        >
          <kbd>?</kbd>
        </button>
      </div>
    </header>
  );
}

function Anchor() {
  return (
    <svg class="brand-mark" viewBox="0 0 32 32" aria-hidden="true">
      <path d="M16 6.5v13M16 19.5c0 3-2.2 5.2-6 5.5M16 19.5c0 3 2.2 5.2 6 5.5M16 19.5V26M11 12.5c0 2.4 2 4 5 4s5-1.6 5-4" />
    </svg>
  );
}

function InboxCount() {
  const waiting = inbox.value?.length ?? 0;
  if (waiting === 0) return null;
  return (
    <span class="count-badge number">
      {waiting > 99 ? "99+" : waiting}
      <span class="unseen"> waiting for you</span>
    </span>
  );
}

/** Screens read the choice from the address: `?project=<id>`. */
function ProjectPicker() {
  if (projects.value.length < 2 || !["runs", "inbox", "workflows", "costs"].includes(route.value.screen)) return null;
  return (
    <label class="picker">
      <span class="unseen">Project</span>
      <Icon name="folder" />
      <select
        value={query.value.get("project") ?? ""}
        onChange={(event) => setQuery({ project: event.currentTarget.value })}
      >
        <option value="">All projects</option>
        {projects.value.map(({ id, name }) => (
          <option key={id} value={id}>
            {visibleText(name)}
          </option>
        ))}
      </select>
    </label>
  );
}

const connectionWords: Readonly<Record<Connection, string>> = {
  connecting: "Connecting",
  live: "Live",
  reconnecting: "Reconnecting",
  restarted: "Live, restarted",
  "signed-out": "Signed out",
};

function ConnectionMark({ state }: { readonly state: Connection }) {
  const title = state === "restarted" ? "The server was started anew; everything was read again." : undefined;
  return (
    <span class={`connection connection-${state}`} role="status" title={title}>
      <span class="dot" aria-hidden="true" />
      <span class="connection-words">{connectionWords[state]}</span>
    </span>
  );
}

const themeIcons = { system: "screen", light: "sun", dark: "moon" } as const;

function ThemeSwitch() {
  const label = `Theme: ${theme.value}`;
  return (
    <button type="button" class="icon-button" aria-label={label} title={label} onClick={nextTheme}>
      <Icon name={themeIcons[theme.value]} />
    </button>
  );
}
