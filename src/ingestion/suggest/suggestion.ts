import { type LeftOut } from '../../warehouse/references/source-table.js';
import { type PlacedGuess } from './write-yaml.js';

/** A draft that was checked. */
export interface Suggestion {
  yaml: string;
  guesses: (PlacedGuess & { line: number })[];
  leftOut: LeftOut[];
  /** `leftOut` names the first of many tables only. */
  leftOutCount: number;
  /** False if the connection gave no answer in time, so that only the draft itself was checked. */
  isCheckedWithSource: boolean;
  /** False if the time was over before everything that could be guessed was looked into. */
  areGuessesChecked: boolean;
}
