import { describeAttacks } from "./describe-attacks.ts";
import { named } from "./fixtures/all.ts";

const few = named("shims that look like ours but run something", ".holdfast/cache/config.json is a link to /dev/zero");

describeAttacks("a clone:", few, "few");
