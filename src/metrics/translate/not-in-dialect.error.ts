import { ApiError } from '../../common/errors/api-error.js';
import { type Bilingual } from '../../text/bilingual.js';
import { chinesePhrase } from './chinese-phrase.js';
import { type ForeignDialect } from './target-dialect.js';

const names: Record<ForeignDialect, string> = { mysql: 'MySQL', duckdb: 'DuckDB', clickhouse: 'ClickHouse' };

/** 422: the metric uses a construct that the database behind its connection does not compute exactly as PostgreSQL does. */
export class NotInDialectError extends ApiError {
  constructor(dialect: ForeignDialect, construct: string, hint?: Bilingual) {
    const way = hint ?? {
      zh: '请换一种写法，或把表复制到镜像后绑定镜像中的表',
      en: 'write it another way, or copy the table into the mirror and bind the copy',
    };
    super(
      422,
      'not_in_dialect',
      {
        zh: `${names[dialect]} 上不能精确计算 ${chinesePhrase(construct)}；${way.zh}`,
        en: `${names[dialect]} cannot exactly compute ${construct}; ${way.en}`,
      },
      { context: { dialect, construct } },
    );
  }
}
