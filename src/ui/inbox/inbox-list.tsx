import { useEffect, useRef } from "preact/hooks";
import type { InboxItem } from "../../serve/contract/contract.ts";
import { projectName, projects } from "../api/known.ts";
import { Icon } from "../parts/icon.tsx";
import { Ago } from "../parts/now.tsx";
import { Words } from "../parts/words.tsx";
import { inboxHref } from "../route/route.ts";
import { kinds } from "./kinds.ts";
import { select } from "./selection.ts";

interface Props {
  readonly items: readonly InboxItem[];
  readonly selectedId: string | null;
}

export function InboxList({ items, selectedId }: Props) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [selectedId]);
  return (
    <ol class="inbox-list" ref={list}>
      {items.map((item) => (
        <li key={item.id}>
          <a
            class="inbox-row"
            href={inboxHref(item.id)}
            aria-current={item.id === selectedId ? "true" : undefined}
            onClick={(event) => {
              if (event.metaKey || event.ctrlKey) return;
              event.preventDefault();
              select(item.id);
            }}
          >
            <Row item={item} />
          </a>
        </li>
      ))}
    </ol>
  );
}

function Row({ item }: { readonly item: InboxItem }) {
  const { name, icon, mark } = kinds[item.kind];
  const isShared = projects.value.length > 1;
  return (
    <>
      <span class="inbox-row-top">
        <span class={`mark mark-${mark}`}>
          <Icon name={icon} />
          {name}
        </span>
        <span class="muted">
          <Ago time={item.since} />
        </span>
      </span>
      <span class="inbox-row-title">
        <Words text={item.summary ?? item.title} />
      </span>
      <span class="inbox-row-place one-line muted">
        {isShared && (
          <>
            <Words text={projectName(item.project)} /> ·{" "}
          </>
        )}
        <Words text={item.workflow} /> · <Words text={item.step} />
        {item.task !== null && (
          <>
            {" "}
            · <Words text={item.task} />
          </>
        )}
      </span>
    </>
  );
}
