import { isJsonObject } from '../../common/json/is-json-object.js';
import { parseForeignJson } from '../../common/json/measure-json.js';

/**
 * The JSON objects in a text of a model: one object per line, or a JSON list of objects, also between the fences of Markdown. The thoughts
 * before the answer (`<think>…</think>`) are left out.
 */
export function jsonObjectsIn(text: string): Record<string, unknown>[] {
  const answer = text.split('</think>').at(-1)!;
  const bare = answer.replace(/^[ \t]*```\w*[ \t]*$/gm, '').trim();
  const whole = parse(bare);
  const found = whole === undefined ? bare.split('\n').map(line => parse(line.trim().replace(/,$/, ''))) : [whole].flat();
  return found.filter(isJsonObject);
}

function parse(text: string): unknown {
  try {
    return parseForeignJson(text);
  } catch {
    return undefined;
  }
}
