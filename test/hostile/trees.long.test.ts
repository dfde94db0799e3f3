import { describeAttacks } from "./describe-attacks.ts";
import { foulTexts } from "./fixtures/texts.ts";
import { oddRepositories, oddTrees } from "./fixtures/trees.ts";

describeAttacks("a clone with", [...foulTexts, ...oddTrees, ...oddRepositories]);
