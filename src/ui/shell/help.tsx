import { signal } from "@preact/signals";
import { Sheet } from "../parts/dialog.tsx";
import { keyGroups } from "../parts/keys.ts";

const isShown = signal(false);

export function showHelp(): void {
  isShown.value = true;
}

/** The keys of the screen that is shown, and those that work everywhere. */
export function HelpSheet() {
  if (!isShown.value) return null;
  return (
    <Sheet title="Keys" onClose={() => (isShown.value = false)}>
      {keyGroups.value.map(({ title, bindings }) => (
        <section key={title} class="help-group">
          <h3>{title}</h3>
          <dl class="help-keys">
            {bindings.map(({ keys, label }) => (
              <div key={keys}>
                <dt>{label}</dt>
                <dd>
                  {keys.split(" ").map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Sheet>
  );
}
