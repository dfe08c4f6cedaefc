import { isJsonObject } from '../common/json/is-json-object.js';
import { RawJson } from '../common/json/raw-json.js';
import { type LargeAnswer, type RetrievalAnswer } from './protocol.js';
import { RetrievalUnavailableError } from './retrieval.errors.js';

/**
 * The most bytes of an answer that is parsed; a larger answer is passed on as bytes. Parsing 16 MB would block an event loop for up to two
 * seconds.
 */
const parsedBytes = 524_288;
const newline = 10;

/** Reads the three lines of an answer. @throws RetrievalUnavailableError if a line is missing or cannot be read */
export function readAnswer(bytes: Buffer): RetrievalAnswer | LargeAnswer {
  const first = bytes.indexOf(newline);
  const second = bytes.indexOf(newline, first + 1);
  const [head, rows, graph] = [bytes.subarray(0, first), bytes.subarray(first + 1, second), bytes.subarray(second + 1)];
  try {
    if (first === -1 || second === -1) throw new Error('Not an answer of the protocol');
    const rest = parse(head) as Omit<RetrievalAnswer, 'rows' | 'graph'> | null;
    if (!Number.isInteger(rest?.graph_version)) throw new Error('An answer without the version of its graph');
    if (bytes.length > parsedBytes) return { ...rest!, rows: new RawJson(rows), graph: new RawJson(graph) };
    const parsed = { ...rest!, rows: parse(rows) as RetrievalAnswer['rows'], graph: parse(graph) as RetrievalAnswer['graph'] };
    if (!Array.isArray(parsed.rows) || !isJsonObject(parsed.graph)) throw new Error('An answer without rows or graph');
    return parsed;
  } catch (error) {
    throw new RetrievalUnavailableError(error);
  }
}

export function isLargeAnswer(answer: RetrievalAnswer | LargeAnswer): answer is LargeAnswer {
  return answer.rows instanceof RawJson;
}

function parse(bytes: Buffer): unknown {
  return JSON.parse(bytes.toString('utf8'));
}
