import { type Bilingual } from '../text/bilingual.js';
import { type ConnectionRight } from '../access/access.decorator.js';
import { type ConnectionFailureCode, connectionFailures, type ConnectionStage } from './clients/connection-failure.js';
import { ApiError, BusyError } from '../common/errors/api-error.js';

export class ConnectionNotFoundError extends ApiError {
  constructor() {
    super(404, 'connection_not_found', { zh: '数仓连接不存在', en: 'The warehouse connection does not exist' });
  }
}

export class ConnectionForbiddenError extends ApiError {
  constructor(required: ConnectionRight) {
    super(
      403,
      'connection_forbidden',
      {
        zh: `您没有使用该数仓连接的权限（需要 ${required}），请管理员用 POST /api/permissions/connections/{id}/users 授权`,
        en: `You may not use this warehouse connection (${required} needed); ask an admin for POST /api/permissions/connections/{id}/users`,
      },
      { context: { required_right: required } },
    );
  }
}

/**
 * A saved job, metric binding or copy into the mirror. Each reads the warehouse in the name of the user who saved it. `savedBy` is null
 * once that user is deleted.
 */
export interface SavedRecord {
  kind: 'job' | 'metric' | 'copy';
  id: number;
  name: string;
  savedBy: { id: number; username: string } | null;
}

/**
 * 409: the user who saved a job, a metric binding or a copy may no longer use the connection that it reads. The code 403 would mean that
 * the caller lacks a right.
 */
export class ConnectionAccessLostError extends ApiError {
  constructor({ kind, id, name, savedBy }: SavedRecord, connection: { id: number; name: string }) {
    const what = { job: { zh: '任务', en: 'Job' }, metric: { zh: '指标', en: 'Metric' }, copy: { zh: '复制', en: 'Copy' } }[kind];
    const who = savedBy?.username;
    const again = {
      job: {
        zh: `再保存一次映射（POST /api/ingestion/jobs/${id}/revisions）`,
        en: `save the mapping again (POST /api/ingestion/jobs/${id}/revisions)`,
      },
      metric: { zh: `重新绑定（PUT /api/metrics/${id}/binding）`, en: `bind the metric again (PUT /api/metrics/${id}/binding)` },
      copy: {
        zh: `删除它并另存一个（DELETE /api/warehouse/mirror-copies/${id}）`,
        en: `delete it and save another (DELETE /api/warehouse/mirror-copies/${id})`,
      },
    }[kind];
    super(
      409,
      'connection_access_lost',
      {
        zh: `${what.zh}“${name}”（id ${id}）以${who === undefined ? '已删除的用户' : ` ${who} `}的名义读取数仓连接“${connection.name}”，而该用户已无此权限；请管理员用 POST /api/permissions/connections/${connection.id}/users 授权，或由有权限的人${again.zh}`,
        en: `${what.en} '${name}' (id ${id}) reads the warehouse connection '${connection.name}' in the name of ${who ?? 'a deleted user'}, who may no longer use it; an admin can grant it with POST /api/permissions/connections/${connection.id}/users, or someone who may use it can ${again.en}`,
      },
      { context: { kind, id, saved_by: who ?? null, connection_id: connection.id } },
    );
  }
}

export class ConnectionGrantNotFoundError extends ApiError {
  constructor() {
    super(404, 'connection_grant_not_found', {
      zh: '该用户没有这个数仓连接的授权',
      en: 'That user has no grant on this warehouse connection',
    });
  }
}

export class ConnectionNameTakenError extends ApiError {
  constructor() {
    super(400, 'connection_name_taken', { zh: '已有同名的数仓连接', en: 'A warehouse connection of this name exists already' });
  }
}

export class MirrorDsnError extends ApiError {
  constructor() {
    super(422, 'pg_mirror_dsn', {
      zh: 'pg_mirror 连接不能提供 DSN',
      en: 'pg_mirror connections must not provide a DSN',
    });
  }
}

/** 422: a connection of a type other than pg_mirror was given without the DSN of its database. */
export class DsnMissingError extends ApiError {
  constructor(type: string) {
    super(422, 'dsn_missing', {
      zh: `${type} 类型的连接需要 dsn`,
      en: `connections of type ${type} need a dsn`,
    });
  }
}

export class ConnectionTypeNotBuiltError extends ApiError {
  constructor(type: string, built: readonly string[]) {
    super(422, 'connection_type_not_built', {
      zh: `${type} 类型的连接将在以后的版本提供，目前支持 ${built.join('、')}`,
      en: `connections of type ${type} come later; built so far: ${built.join(', ')}`,
    });
  }
}

export class ConnectionReadOnlyError extends ApiError {
  constructor() {
    super(422, 'connection_read_only', {
      zh: '只有 pg_mirror 类型的连接可以上传和删除表',
      en: 'Tables can be loaded and dropped in connections of type pg_mirror only',
    });
  }
}

export class DefaultConnectionError extends ApiError {
  constructor() {
    super(422, 'default_connection', {
      zh: '默认的 pg_mirror 连接不能删除',
      en: 'The default pg_mirror connection cannot be deleted',
    });
  }
}

export class ConnectionInUseError extends ApiError {
  constructor(jobs: number[], metrics: number[], mirrorCopies: number[]) {
    super(
      422,
      'connection_in_use',
      {
        zh: '仍有导入任务、指标或到镜像的复制使用这个连接，不能删除',
        en: 'An ingestion job, a metric or a copy into the mirror still references this connection, so it cannot be deleted',
      },
      { context: { jobs, metrics, mirror_copies: mirrorCopies } },
    );
  }
}

export class TableNotFoundError extends ApiError {
  constructor() {
    super(404, 'table_not_found', { zh: '该连接中没有这张表', en: 'The connection has no such table' });
  }
}

/**
 * 409: the old rows of a table are gone, for example after TRUNCATE. The snapshot should still show them, but PostgreSQL would read the
 * table as empty.
 */
export class TableRewrittenError extends ApiError {
  constructor(table: string) {
    super(
      409,
      'table_rewritten',
      {
        zh: '读取期间这张表被清空、重写或替换（TRUNCATE、ALTER TABLE、DROP），其旧的行已读不到；请再次运行',
        en: 'the table was emptied, rewritten or replaced (TRUNCATE, ALTER TABLE, DROP) while it was to be read, and its former rows are gone; run again',
      },
      { context: { table } },
    );
  }
}

export class ColumnNotFoundError extends ApiError {
  constructor(table: string, column: string, meant: string | null) {
    super(
      422,
      'column_not_found',
      {
        zh: `表“${table}”没有列“${column}”${meant === null ? '' : `，是否想写“${meant}”？`}`,
        en: `The table '${table}' has no column '${column}'${meant === null ? '' : `; did you mean '${meant}'?`}`,
      },
      { context: { table, column } },
    );
  }
}

/** 422: the user of the connection may read other columns of the table, but not this one. */
export class ColumnDeniedError extends ApiError {
  constructor(table: string, column: string) {
    super(
      422,
      'column_denied',
      {
        zh: `连接的用户没有读取表“${table}”的列“${column}”的权限；请在来源库中 GRANT SELECT，或不要选择该列`,
        en: `The connection's user may not read the column '${column}' of the table '${table}'; GRANT SELECT on it at the source, or leave it out`,
      },
      { context: { table, column } },
    );
  }
}

/** 422: a column to be read has a type that PostgreSQL does not have. */
export class UnreadableColumnError extends ApiError {
  constructor(table: string, column: string, nativeType: string) {
    super(
      422,
      'column_type_not_readable',
      {
        zh: `无法读取表“${table}”的列“${column}”：类型 ${nativeType} 没有对应的 PostgreSQL 类型；请不要选择该列，或在来源库中用视图转换它（文件夹的表请改文件）`,
        en: `The column '${column}' of the table '${table}' cannot be read: its type ${nativeType} has no counterpart in PostgreSQL; leave it out, or convert it in a view of the source, or in the file of a folder`,
      },
      { context: { table, column, native_type: nativeType } },
    );
  }
}

/**
 * PostgreSQL cannot hold a value of the column to be read: a text with a zero byte or with bytes that are not UTF-8, a date that no
 * calendar has, or a time with nanoseconds.
 */
export class UnreadableValueError extends ApiError {
  /** @param table null for a statement, which may read several tables */
  constructor(table: string | null, column: string) {
    const of = table === null ? { zh: '', en: '' } : { zh: `表“${table}”的`, en: ` of the table '${table}'` };
    super(
      422,
      'column_value_not_readable',
      {
        zh: `${of.zh}列“${column}”中有 PostgreSQL 存不下的值（如含零字节或不是 UTF-8 的文本，不存在或超出范围的日期如 2024-02-00，或带纳秒的时间）；请更正它，或在来源库中用视图转换该列（文件夹的表请改文件）`,
        en: `The column '${column}'${of.en} has a value that PostgreSQL cannot hold, such as a text with a zero byte or with bytes that are not UTF-8, a date out of range or that does not exist, such as 2024-02-00, or a time with nanoseconds; correct it, or convert the column in a view of the source, or in the file of a folder`,
      },
      { context: { ...(table !== null && { table }), column } },
    );
  }
}

/** 422: the caller's SQL is PostgreSQL's, but the connection needs SQL of another dialect. */
export class DialectNotBuiltError extends ApiError {
  constructor(dialect: string) {
    super(
      422,
      'dialect_not_built',
      {
        zh: `这个连接使用 ${dialect} 的 SQL，此处尚只支持 PostgreSQL；请先把表复制到镜像（POST …/mirror）`,
        en: `The connection takes the SQL of ${dialect}, and here only PostgreSQL's is built so far; copy its tables into the mirror first (POST …/mirror)`,
      },
      { context: { dialect } },
    );
  }
}

export class TableBusyError extends ApiError {
  constructor() {
    super(409, 'table_busy', {
      zh: '这张表正在被使用，请稍后重试',
      en: 'The table is in use by another upload or a long query; retry shortly',
    });
  }
}

/**
 * 409: saved records read the table that is to be dropped, or may read it. `others` counts further readers, which the caller may not see or
 * which exceed the list. `unchecked` counts the records that name the table but were not checked.
 */
export class TableInUseError extends ApiError {
  constructor(table: string, readers: { jobs: number[]; metrics: number[]; mirror_copies: number[]; others: number; unchecked: number }) {
    super(
      409,
      'table_in_use',
      {
        zh: `仍有导入任务、指标或复制使用表“${table}”，或未能及时查完（见 context）；请先改掉它们，或以 ?force=true 仍然删除`,
        en: `Ingestion jobs, metrics or copies still use the table '${table}', or could not be looked through in time (see context); change them first, or drop it nevertheless with ?force=true`,
      },
      { context: { table, ...readers } },
    );
  }
}

/** 503: too many reads of the caller wait for a connection, or the read of this request has waited too long. */
export class WarehouseBusyError extends BusyError {
  constructor(retryAfterS: number) {
    super(
      'warehouse_busy',
      {
        zh: '目前没有数仓连接处理您的又一个查询，请稍后重试',
        en: 'There is no warehouse connection for another query of yours now; try again shortly',
      },
      retryAfterS,
    );
  }
}

/** 503: the caller's uploads take all the places that one caller may have, or all uploads together take all places. */
export class UploadsBusyError extends BusyError {
  constructor(retryAfterS: number) {
    super(
      'uploads_busy',
      { zh: '目前没有位置接收您的又一次上传，请稍后重试', en: 'There is no place for another upload of yours now; retry shortly' },
      retryAfterS,
    );
  }
}

/** 408: the client of an upload sends hardly any bytes. */
export class UploadStalledError extends ApiError {
  constructor(seconds: number) {
    super(
      408,
      'upload_stalled',
      {
        zh: `${seconds} 秒内几乎没有收到数据，上传已中止，未导入任何数据`,
        en: `Hardly anything arrived within ${seconds} s; the upload was ended and nothing was loaded`,
      },
      // Without this header, the rest of the body would be read as the next request.
      { headers: { Connection: 'close' } },
    );
  }
}

export class UploadAbortedError extends ApiError {
  constructor(cause: unknown) {
    super(400, 'upload_aborted', { zh: '上传中断，未导入任何数据', en: 'The upload broke off; nothing was loaded' }, { cause });
  }
}

/** The warehouse refused a query. `reason` is a sentence of the service; the warehouse's own text is only in `cause`. */
export class WarehouseQueryError extends ApiError {
  /**
   * @param sqlstate PostgreSQL's SQLSTATE of the failure, see sqlstate.ts
   * @param position the place in the statement, in characters from 1; null if the warehouse does not give one
   */
  constructor(
    readonly reason: Bilingual,
    readonly sqlstate: string,
    readonly position: number | null,
    cause: unknown,
  ) {
    super(
      400,
      'warehouse_query_failed',
      { zh: `数仓查询失败：${reason.zh}`, en: `The warehouse query failed: ${reason.en}` },
      { context: { sqlstate }, cause },
    );
  }
}

/** 503: a table that the query reads is being replaced, and was not free within the lock time-out. */
export class TableBeingReplacedError extends BusyError {
  constructor(cause: unknown) {
    super(
      'table_being_replaced',
      { zh: '查询用到的表正在被替换，请稍后重试', en: 'A table that the query reads is being replaced; retry shortly' },
      5,
      cause,
    );
  }
}

export class WarehouseTimeoutError extends ApiError {
  constructor(timeoutMs: number, cause: unknown) {
    super(
      400,
      'warehouse_timeout',
      {
        zh: `数仓查询超过了 ${timeoutMs} 毫秒的时限，请缩小范围`,
        en: `The warehouse query ran longer than ${timeoutMs} ms; narrow its range`,
      },
      { context: { timeout_ms: timeoutMs }, cause },
    );
  }
}

export class WarehouseUnavailableError extends ApiError {
  constructor(cause: unknown) {
    super(
      500,
      'warehouse_unavailable',
      { zh: '数仓暂时不可用，请稍后重试', en: 'The warehouse is unavailable for now; retry shortly' },
      { cause, headers: { 'Retry-After': '5' } },
    );
  }
}

/** 500: the service cannot connect to the server of the warehouse, or may not connect to it. */
export class ConnectionFailedError extends ApiError {
  constructor(
    readonly failure: ConnectionFailureCode,
    cause: unknown,
    readonly stage: ConnectionStage = connectionFailures[failure].stage,
  ) {
    const { zh, en } = connectionFailures[failure];
    super(
      500,
      'warehouse_unavailable',
      { zh: `无法连接数仓：${zh}`, en: `The warehouse cannot be reached: ${en}` },
      { context: { stage, failure }, cause },
    );
  }

  /**
   * A network failure may happen at any stage of connecting.
   * @returns for a network failure, this error with the stage `reached`; for any other failure, this error unchanged
   */
  stoppedAt(reached: ConnectionStage): ConnectionFailedError {
    return connectionFailures[this.failure].stage === 'tcp' ? new ConnectionFailedError(this.failure, this.cause, reached) : this;
  }
}

/** 422: the driver of the connection's type is an optional package that is not installed. */
export class DriverNotInstalledError extends ApiError {
  constructor(type: string, driver: string, cause: unknown) {
    super(
      422,
      'driver_not_installed',
      {
        zh: `${type} 类型的连接需要软件包 ${driver}；请让运维用 npm install ${driver} 安装`,
        en: `connections of type ${type} need the package ${driver}; the operator can install it with npm install ${driver}`,
      },
      { context: { driver }, cause },
    );
  }
}

/** 503: the disk lacks room for the file of an upload. The service keeps this file while it reads the upload. */
export class UploadDiskFullError extends BusyError {
  constructor(cause: unknown) {
    super(
      'disk_full',
      {
        zh: '服务数据目录（DATA_DIR）的磁盘已满，未导入任何数据；请在腾出空间后重试，或上传 CSV、NDJSON',
        en: 'The disk of the data directory of the service (DATA_DIR) is full, and nothing was loaded; try again once there is room, or upload CSV or NDJSON',
      },
      30,
      cause,
    );
  }
}

/** 422: an upload is a Parquet file, and the optional DuckDB package that reads Parquet is not installed. */
export class ParquetDriverMissingError extends ApiError {
  constructor(cause: unknown) {
    super(
      422,
      'driver_not_installed',
      {
        zh: '上传 Parquet 需要软件包 @duckdb/node-api；请让运维用 npm install @duckdb/node-api 安装，或上传 CSV、NDJSON',
        en: 'Uploads of Parquet need the package @duckdb/node-api; the operator can install it with npm install @duckdb/node-api, or upload CSV or NDJSON',
      },
      { context: { driver: '@duckdb/node-api' }, cause },
    );
  }
}

/** 422: the operator has not set DUCKDB_DIR, the directory for the files of DuckDB connections. */
export class DuckdbDirectoryUnsetError extends ApiError {
  constructor() {
    super(422, 'duckdb_directory_unset', {
      zh: 'duckdb 类型的连接读取运维所设目录 DUCKDB_DIR 下的文件，而该设置为空；请让运维设置它',
      en: 'connections of type duckdb read files below the directory of the setting DUCKDB_DIR, which is not set; ask the operator to set it',
    });
  }
}

export class JsonDocumentError extends ApiError {
  constructor() {
    super(415, 'unsupported_media_type', {
      zh: "不接受 JSON 文档；请改为每行一个对象的 NDJSON（jq -c '.[]' 文件.json），以 application/x-ndjson 上传",
      en: "A JSON document is not taken; make it NDJSON, one object a line (jq -c '.[]' file.json), and send that as application/x-ndjson",
    });
  }
}
