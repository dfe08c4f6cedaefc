/* Escapes of values in the text format of COPY. */

const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
const characters: Record<string, string> = { t: '\t', n: '\n', r: '\r', b: '\b', f: '\f', v: '\v' };

export const nullField = '\\N';

export function toCopyField(text: string): string {
  return text.replace(/[\\\t\n\r]/g, character => escapes[character]!);
}

export function fromCopyField(field: string): string {
  return field.replace(/\\(.)/g, (_, character: string) => characters[character] ?? character);
}
