/** The JSON objects in a text of a model: one per line, or a list of them, also between the fences of Markdown. At most so many. */
export function jsonObjectsIn(text: string, most: number): Record<string, unknown>[] {
  const bare = text.replace(/^\s*```\w*\s*$/gm, '').trim();
  const whole = parse(bare);
  const found = whole === undefined ? bare.split('\n').map(line => parse(line.trim().replace(/,$/, ''))) : [whole].flat();
  return found.filter(isObject).slice(0, most);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
