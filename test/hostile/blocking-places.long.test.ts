import { describeAttacks } from "./describe-attacks.ts";
import { endlessPlaces, pipedPlaces } from "./fixtures/places.ts";

describeAttacks("a clone in which", [...endlessPlaces, ...pipedPlaces]);
