import { assembleInSteps, type SqlFragment } from '../../src/sql-guard/same-shape.js';
import { atOnce } from '../../src/text/steps.js';

/** The template with its fragments put in. @throws Error when the shapes differ */
export function assembleSql(template: string, fragments: readonly SqlFragment[]): string {
  return atOnce(assembleInSteps(template, fragments));
}
