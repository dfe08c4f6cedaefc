import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, IsOptional, IsString, Matches, Max, Min } from 'class-validator';
import { SchemaError } from '../../common/errors/api-error.js';
import { mapInTurns } from '../../common/turns/pace.js';
import { QueryInt } from '../validation/query-int.decorator.js';

export const defaultPageSize = 50;
export const maxPageSize = 200;

/** The parameters `?limit=` and `?cursor=` of every list. */
export class PageQuery {
  @ApiPropertyOptional({ minimum: 1, maximum: maxPageSize, default: defaultPageSize, example: 50 })
  @QueryInt()
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(maxPageSize)
  limit: number = defaultPageSize;

  @ApiPropertyOptional({ description: '`next_cursor` of the page before' })
  @IsOptional()
  @IsString()
  @Matches(/^[\w-]{1,200}$/, { message: 'cursor must be the next_cursor of an earlier page' })
  cursor?: string;
}

export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

/**
 * Makes a page from rows that one statement read. The conversion of the rows pauses for other requests (see `mapInTurns`). The id of the
 * last row becomes the cursor.
 */
export async function pageOfRows<R, T>(
  { rows, hasMore }: { rows: R[]; hasMore: boolean },
  idOf: (row: R) => number | string,
  toItem: (row: R) => T,
): Promise<Page<T>> {
  const last = rows.at(-1);
  return { items: await mapInTurns(rows, toItem), next_cursor: hasMore && last !== undefined ? String(idOf(last)) : null };
}

/**
 * Makes a page from up to `limit + 1` rows; the extra row shows that another page follows. The id of the page's last row becomes the
 * cursor.
 */
export function page<T>(rows: T[], limit: number, idOf: (row: T) => number | string): Page<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next_cursor: rows.length > limit && last !== undefined ? String(idOf(last)) : null };
}

const maxInteger = 2_147_483_647;

/**
 * The id after which a page starts: 0 for the first page.
 * @param largest the largest value of the id column's type: PostgreSQL's integer, unless the column is a bigint
 * @throws SchemaError for a cursor that this service did not make
 */
export function afterId(cursor: string | undefined, largest = maxInteger): number {
  if (cursor === undefined) return 0;
  if (!/^[1-9]\d{0,14}$/.test(cursor)) throw invalidCursor();
  return Math.min(Number(cursor), largest);
}

export function invalidCursor(): SchemaError {
  return new SchemaError([
    {
      loc: ['query', 'cursor'],
      text: { zh: '应为上一页的 next_cursor', en: 'cursor must be the next_cursor of an earlier page' },
      type: 'string_pattern',
    },
  ]);
}

/** OpenAPI schema of a page of `Item`. */
export function PageOf<T>(Item: new () => T): new () => Page<T> {
  class PageResponse implements Page<T> {
    @ApiProperty({ type: () => [Item] })
    items: T[];

    @ApiProperty({ type: String, nullable: true, example: null })
    next_cursor: string | null;
  }
  Object.defineProperty(PageResponse, 'name', { value: `${Item.name.replace(/Response$/, '')}Page` });
  return PageResponse;
}
