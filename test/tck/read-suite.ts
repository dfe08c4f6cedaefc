import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sharedFolder } from '../support/shared-data.js';
import { readFeature, type Scenario } from './read-feature.js';

/** The folder of the TCK, which is not part of the repository. CI puts it beside the repository. */
const suiteFolder = join(sharedFolder, 'suites', 'tck');

export interface TckCase extends Scenario {
  /** The folder of the feature, such as `clauses/match`. */
  category: string;
}

/** Reads all cases under a folder of features, in the order of their files. Scenario outlines are filled in. */
export function readSuite(folder = ''): TckCase[] {
  const features = join(suiteFolder, 'features');
  return readdirSync(join(features, folder), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.feature'))
    .map(file => join(folder, file))
    .sort(inFileOrder)
    .flatMap(file => readFeature(readFileSync(join(features, file), 'utf8')).map(scenario => ({ ...scenario, category: dirname(file) })));
}

/** The statements that create a named graph of the TCK. */
export function readNamedGraph(name: string): string {
  return readFileSync(join(suiteFolder, 'graphs', name, `${name}.cypher`), 'utf8');
}

/** Orders files by folder, then by name with numbers as numbers: Match2 comes before Match10. */
function inFileOrder(a: string, b: string): number {
  return dirname(a) === dirname(b) ? a.localeCompare(b, 'en', { numeric: true }) : dirname(a) < dirname(b) ? -1 : 1;
}

const stringsAndComments = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\/\/.*|\/\*[\s\S]*?\*\//g;
const names = /`[^`]*`|[.:$]\s*\w+/g;
const writes = /\b(?:CREATE|MERGE|SET|DELETE|DETACH|REMOVE|FOREACH|CALL|LOAD)\b/i;

/** Whether a case only reads: none of its queries writes or calls a procedure. */
export function onlyReads({ query, controls, procedures }: Scenario): boolean {
  const queries = [query, ...controls.map(control => control.query)];
  return procedures.length === 0 && !queries.some(text => writes.test(text.replace(stringsAndComments, ' ').replace(names, ' ')));
}
