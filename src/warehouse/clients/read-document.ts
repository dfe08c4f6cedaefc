import { checkDetail } from '../../common/json/check-detail.js';
import { parseExactJson } from '../../common/json/parse-exact-json.js';
import { sqlstates } from '../../sql/sqlstate.js';
import { WarehouseQueryError } from '../warehouse.errors.js';
import { queryFailure } from './query-failures.js';

/** The most levels of a document. An answer with tens of thousands could not be written. */
const mostLevels = 1_000;

const [quote, backslash] = [34, 92];

/** Reads a document from the text that a server sent, with every digit of its large numbers. @throws ValueTooDetailedError, WarehouseQueryError */
export function readDocument(text: string): unknown {
  checkDetail(text);
  try {
    if (levelsOf(text) <= mostLevels) return parseExactJson(text);
  } catch (cause) {
    throw unreadable(cause);
  }
  throw unreadable(undefined);
}

function unreadable(cause: unknown): WarehouseQueryError {
  return new WarehouseQueryError(queryFailure(sqlstates.invalidText)!, sqlstates.invalidText, null, cause);
}

/** How deep the brackets outside of texts go. */
function levelsOf(document: string): number {
  let level = 0;
  let most = 0;
  let isText = false;
  for (let i = 0; i < document.length; i++) {
    const code = document.charCodeAt(i);
    if (code === quote) isText = !isText;
    else if (isText && code === backslash) i++;
    else if (isText) continue;
    else if (code === 91 || code === 123) most = Math.max(most, ++level);
    else if (code === 93 || code === 125) level--;
  }
  return most;
}
