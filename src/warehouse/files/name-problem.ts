import { type Bilingual } from '../../text/bilingual.js';

export interface NameProblem extends Bilingual {
  type: string;
}
