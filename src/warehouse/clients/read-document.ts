import { ApiError } from '../../common/errors/api-error.js';
import { checkDetail } from '../../common/json/check-detail.js';
import { parseExactJson } from '../../common/json/parse-exact-json.js';
import { sqlstates } from '../../sql/sqlstate.js';
import { WarehouseQueryError } from '../warehouse.errors.js';
import { queryFailure } from './query-failures.js';

/** The most characters of a row's JSON documents, not counting the largest one. All documents of a row are parsed without a pause. */
const mostOfRow = 1_000_000;
/** The most characters of a document that contains numbers of 16 or more digits. Such numbers take longer to parse. */
const mostWithLongNumbers = 500_000;
/** The deepest nesting of a document. An answer with tens of thousands of levels could not be serialized. */
const mostLevels = 1_000;

const [quote, backslash] = [34, 92];

/** 422: the JSON documents of one row would take long to parse. */
class DocumentsTooLargeError extends ApiError {
  constructor(most: number) {
    super(
      422,
      'answer_too_large',
      {
        zh: `一行中的 JSON 文档过大，超过 ${most} 个字符；请减少列，或只取文档的一部分`,
        en: `the JSON documents of one row are too large, with more than ${most} characters; read fewer columns, or parts of the documents`,
      },
      { context: { most_characters: most } },
    );
  }
}

/** Reads the JSON documents of a result, row by row. */
export class RowDocuments {
  private characters = 0;
  private largest = 0;

  nextRow(): void {
    this.characters = 0;
    this.largest = 0;
  }

  /** @throws ValueTooDetailedError, DocumentsTooLargeError, WarehouseQueryError */
  readonly read = (text: string): unknown => {
    this.characters += text.length;
    this.largest = Math.max(this.largest, text.length);
    // The largest document of the row does not count here, because `checkDetail` limits each document on its own.
    if (this.characters - this.largest > mostOfRow) throw new DocumentsTooLargeError(mostOfRow);
    return readDocument(text);
  };
}

/**
 * Reads a JSON document from the text that a server sent, and keeps every digit of large numbers. @throws ValueTooDetailedError,
 * WarehouseQueryError
 */
function readDocument(text: string): unknown {
  checkDetail(text);
  if (text.length > mostWithLongNumbers && /[[:,\s-]\d{16}/.test(text)) throw new DocumentsTooLargeError(mostWithLongNumbers);
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

/** The depth of nested brackets outside of strings. */
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
