import { assembleInSteps, type SqlFragment } from '../../src/sql-guard/same-shape.js';
import { atOnce } from '../../src/text/steps.js';

/** Puts the fragments into the template. @throws Error when the shapes differ */
export function assembleSql(template: string, fragments: readonly SqlFragment[]): string {
  return atOnce(assembleInSteps(template, fragments));
}
