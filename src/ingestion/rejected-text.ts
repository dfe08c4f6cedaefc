import { JsonPieces } from '../common/json/write-in-turns.js';
import { Pace } from '../common/turns/pace.js';
import { csvLine, type LineFormat } from '../http/line-formats.js';
import { type RejectedRowResponse } from './ingestion.dto.js';

export function rejectedHeader(format: LineFormat): string {
  return format === 'csv' ? 'target,row_no,source_key,reasons_zh,reasons_en,sample\r\n' : '';
}

/**
 * Writes rejected rows as text in pieces. Written rows are removed from `rows`, so that memory does not contain all rows besides their
 * text.
 */
export async function rejectedLines(rows: RejectedRowResponse[], format: LineFormat): Promise<Buffer[]> {
  const pace = new Pace();
  const lines = new JsonPieces(pace);
  for (let row = rows.shift(); row; row = rows.shift()) {
    lines.text(rejectedLine(row, format));
    if (pace.isOverdue) await pace.turn();
  }
  return lines.end();
}

function rejectedLine(row: RejectedRowResponse, format: LineFormat): string {
  if (format === 'ndjson') return `${JSON.stringify(row)}\n`;
  const reasons = (language: 'zh' | 'en'): string => row.reasons.map(reason => reason[language]).join('; ');
  const cells = [row.target, String(row.row_no), row.source_key, reasons('zh'), reasons('en'), JSON.stringify(row.sample)];
  return csvLine(cells);
}
