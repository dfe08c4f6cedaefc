import { type LeftOut } from '../../warehouse/references/source-table.js';
import { type PlacedGuess } from './write-yaml.js';

/** A draft of a mapping that has been checked. */
export interface Suggestion {
  yaml: string;
  guesses: (PlacedGuess & { line: number })[];
  leftOut: LeftOut[];
  /** The number of all tables that were left out. If there are many, `leftOut` names only the first of them. */
  leftOutCount: number;
  /** False if the connection gave no answer in time. The draft was then checked without its source. */
  isCheckedWithSource: boolean;
  /** False if the time ran out before all guesses were checked. */
  areGuessesChecked: boolean;
}
