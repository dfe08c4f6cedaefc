/** The formats of answers in which each row is a line of text. */
export type LineFormat = 'ndjson' | 'csv';

export const lineContentType: Record<LineFormat, string> = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
};

/** The format that a request asks for: by `?format=`, otherwise by `Accept`. Null means JSON. */
export function lineFormatOf(format: string | undefined, accept: string | undefined): LineFormat | null {
  if (format === 'ndjson' || format === 'csv') return format;
  if (format !== undefined) return null;
  if (accept?.includes('application/x-ndjson')) return 'ndjson';
  return accept?.includes('text/csv') ? 'csv' : null;
}

/**
 * A CSV line. A null becomes an empty cell, and an empty text becomes `""`. Uploads of CSV read both in the same way. A null that is the
 * only cell of its line becomes `""` too, because readers skip empty lines.
 */
export function csvLine(cells: readonly (string | null)[]): string {
  if (cells.length === 1 && cells[0] === null) return '""\r\n';
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/**
 * A CSV cell by RFC 4180. A text that a spreadsheet would take for a formula gets a leading quote
 * (https://owasp.org/www-community/attacks/CSV_Injection).
 */
function csvCell(text: string | null): string {
  if (text === null) return '';
  const isNumber = /^-?\d+(\.\d+)?$/.test(text);
  const harmless = !isNumber && /^[=+\-@\t\r\n＝＋－＠﹦﹢﹣﹫]/.test(text) ? `'${text}` : text;
  return harmless === '' || /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
