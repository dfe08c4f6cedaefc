import { type RejectedRowResponse } from './ingestion.dto.js';

export type RejectedFormat = 'ndjson' | 'csv';

export const rejectedContentType: Record<RejectedFormat, string> = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
};

/** `?format=` decides, then `Accept`. Null means the JSON page. */
export function rejectedFormat(format: string | undefined, accept: string | undefined): RejectedFormat | null {
  if (format === 'ndjson' || format === 'csv') return format;
  if (format === 'json') return null;
  if (accept?.includes('application/x-ndjson')) return 'ndjson';
  return accept?.includes('text/csv') ? 'csv' : null;
}

export function rejectedHeader(format: RejectedFormat): string {
  return format === 'csv' ? 'target,row_no,source_key,reasons_zh,reasons_en,sample\r\n' : '';
}

export function rejectedLine(row: RejectedRowResponse, format: RejectedFormat): string {
  if (format === 'ndjson') return `${JSON.stringify(row)}\n`;
  const reasons = (language: 'zh' | 'en'): string => row.reasons.map(reason => reason[language]).join('; ');
  const cells = [row.target, String(row.row_no), row.source_key ?? '', reasons('zh'), reasons('en'), JSON.stringify(row.sample)];
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/**
 * RFC 4180, with a quote before a text that a spreadsheet would take for a formula
 * (https://owasp.org/www-community/attacks/CSV_Injection).
 */
function csvCell(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
