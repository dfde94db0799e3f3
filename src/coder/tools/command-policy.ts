/**
 * What commands may run, by their first words: `npm run` also covers `npm run build`. The longest match wins; of two that
 * are as long, deny before ask before allow. What no entry covers is asked, which means denied while nobody is there.
 */
export interface CommandPolicy {
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
}
