import { computed, signal } from "@preact/signals";

export type Route =
  | { readonly screen: "runs" | "inbox" | "workflows" | "costs" | "unknown" }
  | { readonly screen: "run" | "past"; readonly project: string; readonly run: string }
  | { readonly screen: "workflow"; readonly project: string; readonly name: string };

const address = signal(currentAddress());

/** What is behind the question mark of the address, such as a search: `?search=login`. */
export const query = computed(() => new URLSearchParams(address.value.search));
export const route = computed(() => routeOf(address.value.path));

function currentAddress(): { readonly path: string; readonly search: string } {
  return { path: location.pathname, search: location.search };
}

addEventListener("popstate", () => {
  address.value = currentAddress();
});

// A link to another screen does not load the page anew. A click with a modifier key opens a tab, as everywhere.
addEventListener("click", (event) => {
  const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (link === null || !isPlain || event.defaultPrevented || link.target !== "") return;
  const isScreen = link.origin === location.origin && routeOf(link.pathname).screen !== "unknown";
  if (!isScreen || link.hash !== "") return;
  event.preventDefault();
  go(link.pathname + link.search);
});

/** Moves to another screen. */
export function go(href: string): void {
  if (href !== location.pathname + location.search) history.pushState(null, "", href);
  address.value = currentAddress();
}

/** Sets parameters of the address without a new entry in the history; null and "" remove one. */
export function setQuery(changes: Readonly<Record<string, string | null>>): void {
  const next = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "") next.delete(name);
    else next.set(name, value);
  }
  const search = next.toString();
  history.replaceState(null, "", search === "" ? location.pathname : `${location.pathname}?${search}`);
  address.value = currentAddress();
}

export function runHref(project: string, run: string): string {
  return `/p/${encodeURIComponent(project)}/runs/${encodeURIComponent(run)}`;
}

export function pastHref(project: string, run: string, event?: number): string {
  return `${runHref(project, run)}/past${event === undefined ? "" : `?at=${event}`}`;
}

export function workflowHref(project: string, name: string): string {
  return `/p/${encodeURIComponent(project)}/workflows/${encodeURIComponent(name)}`;
}

/** An inbox item is named by its id. */
export function inboxHref(item?: string): string {
  return item === undefined ? "/inbox" : `/inbox?item=${encodeURIComponent(item)}`;
}

function routeOf(path: string): Route {
  const words = path.split("/").filter((word) => word !== "");
  const [first, project = "", kind, id = "", last] = words.map(decoded);
  if (words.length === 0) return { screen: "runs" };
  if (words.length === 1 && (first === "runs" || first === "inbox" || first === "workflows" || first === "costs")) {
    return { screen: first };
  }
  if (first === "p" && kind === "runs" && words.length === 4) return { screen: "run", project, run: id };
  if (first === "p" && kind === "runs" && words.length === 5 && last === "past") {
    return { screen: "past", project, run: id };
  }
  if (first === "p" && kind === "workflows" && words.length === 4) return { screen: "workflow", project, name: id };
  return { screen: "unknown" };
}

function decoded(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}
