import type { VisitRow } from "../../serve/contract/run-answers.ts";
import { clock, count, dollars, duration } from "../parts/format.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { lookOf } from "../parts/mark.tsx";
import { now, slowNow } from "../parts/now.tsx";
import { Words } from "../parts/words.tsx";

interface Props {
  readonly row: VisitRow | undefined;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** One visit on two lines of fixed height. */
export function VisitLine({ row, isOpen, onToggle }: Props) {
  if (row === undefined) return <div class="visit visit-unread" />;
  const { icon, name, tone } = lookOf(row.status);
  return (
    <button type="button" class="visit row-target" aria-expanded={isOpen} onClick={onToggle}>
      <span class={`mark mark-${tone}`}>
        <Icon name={icon} />
        <span class="unseen">{name}: </span>
      </span>
      <span class="visit-name one-line">
        <Words text={row.subStep === null ? row.step : `${row.step} › ${row.subStep}`} />
        {row.task !== null && (
          <span class="visit-task">
            <Words text={row.task} />
          </span>
        )}
        {row.number > 1 && <span class="visit-number number">#{row.number}</span>}
      </span>
      <span class="visit-facts">
        <VisitFacts row={row} />
      </span>
      <span class="visit-took number">
        <Took row={row} />
      </span>
      <span class="visit-text one-line">
        {row.outcome !== null && (
          <span class="visit-outcome">
            <Words text={row.outcome} />
          </span>
        )}
        {row.output !== null && <Words text={row.output.replaceAll(/\s+/g, " ")} />}
      </span>
      <time class="visit-time number" dateTime={row.enteredAt}>
        {clock(row.enteredAt, slowNow.value)}
      </time>
    </button>
  );
}

/** Of an open visit it grows with every second; only that one is drawn again then. */
function Took({ row }: { readonly row: VisitRow }) {
  const end = row.endedAt === null ? now.value : Date.parse(row.endedAt);
  return <>{duration(end - Date.parse(row.enteredAt))}</>;
}

function VisitFacts({ row }: { readonly row: VisitRow }) {
  const { attempts, gatesPassed, gatesFailed, contextActions, tokens, cost } = row;
  const facts: readonly (readonly [boolean, IconName, string, string])[] = [
    [attempts > 1, "retry", `${attempts}×`, "attempts"],
    [gatesPassed > 0, "gate", String(gatesPassed), "gates passed"],
    [gatesFailed > 0, "failed", String(gatesFailed), "gates failed"],
    [contextActions.length > 0, "compress", contextActions.map((action) => `/${action}`).join(" "), "before it"],
    [cost > 0, "coin", dollars(cost).slice(1), "dollars"],
    [cost === 0 && tokens > 0, "coin", count(tokens), "tokens"],
  ];
  return (
    <>
      {facts.map(([isShown, icon, text, words]) =>
        isShown ? (
          <span key={words} class="fact number" title={`${text} ${words}`}>
            <Icon name={icon} />
            {text}
            <span class="unseen"> {words}</span>
          </span>
        ) : null,
      )}
    </>
  );
}
