/** The key of a button, for those who see it; `aria-keyshortcuts` tells it to the others. */
export function Key({ name }: { readonly name: string }) {
  return (
    <span class="key" aria-hidden="true">
      {name.split(" ").map((each) => (
        <kbd key={each}>{each}</kbd>
      ))}
    </span>
  );
}
