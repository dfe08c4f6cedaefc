import { equals } from '../values/equality.js';
import { conversionFunctions } from './conversion-functions.js';
import { type CypherFunction, type FunctionTable, tableOf } from './cypher-function.js';
import { graphFunctions } from './graph-functions.js';
import { listFunctions } from './list-functions.js';
import { mathFunctions } from './math-functions.js';
import { textFunctions } from './text-functions.js';

/** Maximum arguments of any function. */
const mostArguments = 255;

const coalesce: CypherFunction = {
  name: 'coalesce',
  least: 1,
  most: mostArguments,
  call: args => args.find(value => value !== null) ?? null,
};

const exists: CypherFunction = { name: 'exists', least: 1, most: 1, call: ([value = null]) => value !== null };

const nullIf: CypherFunction = {
  name: 'nullIf',
  least: 2,
  most: 2,
  call: ([value = null, other = null]) => (equals(value, other) === true ? null : value),
};

/** All functions except those of times and aggregates, by their names in lower case. */
export const scalarFunctions: FunctionTable = {
  ...mathFunctions,
  ...textFunctions,
  ...listFunctions,
  ...graphFunctions,
  ...conversionFunctions,
  ...tableOf(coalesce, exists, nullIf),
};
