import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { inbox, me, readOnlyWords, refreshInbox, refreshKnown, touchesInbox, trouble } from "../api/known.ts";
import { connection, keepListening, useLive } from "../api/live.ts";
import { Icon } from "../parts/icon.tsx";
import { useKeys } from "../parts/keys.ts";
import { ProblemNote } from "../parts/notes.tsx";
import { go, route } from "../route/route.ts";
import { Header } from "./header.tsx";
import { HelpSheet, showHelp } from "./help.tsx";
import { screenName } from "./screen-name.ts";

/** What is around every screen. */
export function Shell({ children }: { readonly children: ComponentChildren }) {
  useKeepUpToDate();
  const name = screenName(route.value);
  useTellScreen(name);
  useKeys("Everywhere", [
    { keys: "g r", label: "Go to runs", run: () => go("/runs") },
    { keys: "g i", label: "Go to the inbox", run: () => go("/inbox") },
    { keys: "g w", label: "Go to workflows", run: () => go("/workflows") },
    { keys: "g c", label: "Go to costs", run: () => go("/costs") },
    { keys: "/", label: "Search", run: focusSearch },
    { keys: "?", label: "Show the keys", run: showHelp },
  ]);
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Header />
      <Banner />
      <main id="main" tabIndex={-1} aria-label={name} class={`screen screen-${route.value.screen}`}>
        {trouble.value === null ? children : <ProblemNote problem={trouble.value} />}
      </main>
      <HelpSheet />
    </>
  );
}

function useKeepUpToDate(): void {
  useEffect(() => {
    void refreshKnown();
    void refreshInbox();
    void keepListening();
  }, []);
  useLive((message) => {
    if (message.type === "reset") void refreshKnown();
    if (touchesInbox(message)) void refreshInbox();
  });
}

/** The title names the screen, and the focus moves to it: otherwise a screen reader says nothing about a new one. */
function useTellScreen(name: string): void {
  const waiting = inbox.value?.length ?? 0;
  useEffect(() => {
    document.title = `${waiting === 0 ? "" : `(${waiting}) `}${name} · Holdfast`;
  }, [waiting, name]);
  const shown = useRef(name);
  useEffect(() => {
    const main = document.getElementById("main");
    const hasMoved = shown.current !== name;
    shown.current = name;
    // A screen may have put the focus somewhere in it already.
    if (hasMoved && main !== null && !main.contains(document.activeElement)) main.focus({ preventScroll: true });
  }, [name]);
}

/** The search of the screen that is shown. */
function focusSearch(): void {
  document.querySelector<HTMLInputElement>("main input[type=search]")?.focus();
}

/** Says why nothing can be changed, or why nothing moves. */
function Banner() {
  if (connection.value === "signed-out") {
    return (
      <p class="banner banner-strong" role="status">
        <Icon name="lock" /> This browser is signed out: open a new link of `holdfast serve`.
      </p>
    );
  }
  if (me.value === null || me.value.level === "person") return null;
  return (
    <p class="banner" role="status">
      <Icon name="lock" /> {readOnlyWords.value}
    </p>
  );
}
