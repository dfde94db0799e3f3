import { useSignal } from "@preact/signals";
import type { ShownText } from "../../serve/contract/run-answers.ts";
import { moment } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { Words } from "../parts/words.tsx";
import { markLines, readableText } from "./line-marks.ts";

interface Props {
  readonly then: ShownText;
  readonly now: ShownText | null;
  readonly isBehind: boolean;
}

/** What the model was shown at that moment, beside what it would be shown now. */
export function ShownPanel({ then, now, isBehind }: Props) {
  const isWithNow = useSignal(true);
  const isSame = now !== null && now.text === then.text;
  const other = isWithNow.value && !isSame ? now : null;
  return (
    <section class={`panel past-shown ${isBehind ? "past-behind" : ""}`} aria-labelledby="shown-title">
      <header class="past-panel-head">
        <h2 id="shown-title">What the model was shown</h2>
        {isSame ? (
          <span class="muted past-small">The same as now</span>
        ) : (
          <label class="past-switch">
            <input
              type="checkbox"
              checked={isWithNow.value}
              onChange={(event) => {
                isWithNow.value = event.currentTarget.checked;
              }}
            />
            Beside now
          </label>
        )}
      </header>
      <div class={other === null ? "shown-columns" : "shown-columns shown-two"}>
        <Column title="Then" shown={then} other={other} />
        {other !== null && <Column title="Now" shown={other} other={then} />}
      </div>
    </section>
  );
}

interface ColumnProps {
  readonly title: string;
  readonly shown: ShownText;
  readonly other: ShownText | null;
}

function Column({ title, shown, other }: ColumnProps) {
  const text = readableText(shown.text);
  const lines = markLines(text, other === null ? text : readableText(other.text));
  return (
    <div class="shown-column">
      <p class="shown-head">
        <strong>{title}</strong>
        <Origin shown={shown} />
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it. */}
      <section class="lines shown-text" tabIndex={0} aria-label={`What the model was shown: ${title}`}>
        <pre>
          {lines.map((line, index) => (
            <span key={index} class={line.isOwn ? "shown-line shown-line-own" : "shown-line"}>
              <Words text={line.text === "" ? " " : line.text} />
              {"\n"}
            </span>
          ))}
        </pre>
      </section>
    </div>
  );
}

function Origin({ shown }: { readonly shown: ShownText }) {
  const { recorded } = shown;
  if (recorded === null) {
    return (
      <span class="tag tag-rebuilt" title="It was not recorded. This text is made from the state at that moment.">
        Rebuilt
      </span>
    );
  }
  return (
    <>
      <span class="tag tag-recorded" title="These are the very words that went to the model; JSON is laid out.">
        <Icon name="check" /> Recorded
      </span>
      <span class="muted past-small">
        <Words text={recorded.kind} /> at event {recorded.event}, {moment(recorded.at)}
      </span>
    </>
  );
}
