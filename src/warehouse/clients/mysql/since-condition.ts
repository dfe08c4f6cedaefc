import { sqlstates } from '../../../sql/sqlstate.js';
import { WarehouseQueryError } from '../../warehouse.errors.js';
import { type TableColumn } from '../warehouse.client.js';
import { quoteMysqlIdentifier } from './quote-mysql-identifier.js';

/**
 * The SQL condition for an incremental read: the column is at least the value, or is NULL. The value is passed as a parameter. MySQL turns
 * a text that is not a number or date into NULL or zero without an error, so the form of the value is checked here.
 * @throws WarehouseQueryError
 */
export function sinceCondition({ name, type }: TableColumn, value: string): { sql: string; parameter: string } {
  const column = quoteMysqlIdentifier(name);
  const { parameter, sql } = comparable(type, value);
  const isDated = ['date', 'timestamp', 'timestamptz'].includes(type);
  // The date 0000-00-00 is read as NULL, so its rows are included too.
  return { sql: `${column} >= ${sql} OR ${column} IS NULL${isDated ? ` OR ${column} = 0` : ''}`, parameter };
}

function comparable(type: string, value: string): { sql: string; parameter: string } {
  const scale = /^numeric\(\d+,(\d+)\)$/.exec(type)?.[1] ?? '0';
  switch (type.replace(/\(.*/, '')) {
    case 'smallint':
    case 'integer':
    case 'bigint':
    case 'numeric':
      if (!/^-?\d{1,65}(\.\d{1,65})?$/.test(value)) throw unfit();
      // MySQL would round a large number to a double if it were compared with a text.
      return { sql: `CAST(? AS DECIMAL(65,${scale}))`, parameter: value };
    case 'real':
    case 'double precision':
      if (!/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value)) throw unfit();
      return { sql: '(? + 0e0)', parameter: value };
    case 'text':
      return { sql: '?', parameter: value };
    case 'date':
      if (!/^\d{4}-\d\d-\d\d$/.test(value)) throw unfit();
      return { sql: 'CAST(? AS DATE)', parameter: inUtc(`${value} 00:00:00`).slice(0, 10) };
    case 'timestamp':
    case 'timestamptz':
      return { sql: 'CAST(? AS DATETIME(6))', parameter: inUtc(value) };
    default:
      throw new WarehouseQueryError(
        { zh: `类型为 ${type} 的列不能作为增量的起点`, en: `a column of type ${type} cannot tell where to read on` },
        sqlstates.datatypeMismatch,
        null,
        undefined,
      );
  }
}

/** Converts a time, with or without an offset, to UTC with all of its decimal places. */
function inUtc(value: string): string {
  const [, day, time, fraction = '', zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(\.\d{1,6})?(Z|[+-]\d\d(?::?\d\d)?)?$/.exec(value) ?? [];
  const offset = zone.replace(/^([+-]\d\d)(\d\d)?$/, (_all, hours: string, minutes = '00') => `${hours}:${minutes}`);
  const written = `${day}T${time}Z`;
  const moment = new Date(`${day}T${time}${offset}`);
  // JavaScript's Date turns the 30th of February into the 1st of March, so the parsed time is compared with the text.
  if (Number.isNaN(moment.getTime()) || new Date(written).toISOString() !== written.replace('Z', '.000Z')) throw unfit();
  return moment.toISOString().replace('T', ' ').replace('.000Z', fraction);
}

function unfit(): WarehouseQueryError {
  const reason = { zh: '起点的值不符合该列的类型', en: 'the value to read from does not fit the type of its column' };
  return new WarehouseQueryError(reason, sqlstates.invalidText, null, undefined);
}
