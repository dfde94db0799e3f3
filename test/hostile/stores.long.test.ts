import { describeAttacks } from "./describe-attacks.ts";
import { forgedBundles } from "./fixtures/bundles.ts";
import { oddStores } from "./fixtures/git-stores.ts";
import { foulTexts } from "./fixtures/texts.ts";

describeAttacks("a clone with", [...oddStores, ...forgedBundles, ...foulTexts]);
