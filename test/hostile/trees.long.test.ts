import { describeAttacks } from "./describe-attacks.ts";
import { oddRepositories, oddTrees } from "./fixtures/trees.ts";

describeAttacks("a clone with", [...oddTrees, ...oddRepositories]);
