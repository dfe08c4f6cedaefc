import { randomBytes } from 'node:crypto';
import { pipeline, type Readable } from 'node:stream';
import { type ClickHouseClient } from '@clickhouse/client';
import { WarehouseTimeoutError } from '../../warehouse.errors.js';
import { type Reached } from '../connection-failure.js';
import { knownDsn } from '../dsn.js';
import { loadDriver } from '../load-driver.js';
import { type ClientConfig } from '../warehouse-kind.js';
import { checkedAgent } from './checked-agent.js';
import { clickHouseDsn } from './clickhouse-dsn.js';
import { toRequestBody } from './request-body.js';
import { NoClickHouseError, ServerError, serverErrorIn } from './server-error.js';
import { WholeAnswer } from './whole-answer.js';

const connectMs = 5_000;
const usualGraceMs = 3_000;
const longestTimerMs = 2_147_483_647;
const errorBytes = 65_536;

/** Settings of ClickHouse by name. A setting with the value undefined is not sent, so that the user's profile decides. */
export type Settings = Record<string, string | number | undefined>;

export interface Statement {
  sql: string;
  /** Values of the placeholders `{name:Type}`. */
  parameters?: Record<string, unknown>;
  settings?: Settings;
  timeoutMs: number;
  /** Time in ms that the server may take beyond `timeoutMs`. After that, the connection is cut. */
  graceMs?: number;
  /** Whether the answer begins with two lines that hold the names and the types of the columns. */
  withHeader?: boolean;
}

/**
 * Settings that let statements only read, and end them when their connection ends. They also keep the user's profile from cutting a result
 * silently: a result that is too large fails.
 */
const reading: Settings = {
  readonly: 2,
  cancel_http_readonly_queries_on_client_close: 1,
  timeout_overflow_mode: 'throw',
  read_overflow_mode: 'throw',
  read_overflow_mode_leaf: 'throw',
  result_overflow_mode: 'throw',
  group_by_overflow_mode: 'throw',
  sort_overflow_mode: 'throw',
  distinct_overflow_mode: 'throw',
  set_overflow_mode: 'throw',
  join_overflow_mode: 'throw',
  skip_unavailable_shards: 0,
  limit: 0,
  offset: 0,
  extremes: 0,
};

/** Settings with which rows come as lines of escaped values. The text of each value is then the same on every server. */
const texts: Settings = {
  format_custom_escaping_rule: 'Escaped',
  format_custom_field_delimiter: '\t',
  format_custom_row_before_delimiter: '',
  format_custom_row_after_delimiter: '\n',
  format_custom_row_between_delimiter: '',
  format_custom_result_before_delimiter: '',
  format_tsv_null_representation: '\\N',
  date_time_output_format: 'iso',
  bool_true_representation: 'true',
  bool_false_representation: 'false',
  output_format_decimal_trailing_zeros: 1,
  output_format_json_quote_64bit_integers: 0,
  output_format_json_quote_64bit_floats: 0,
  output_format_json_quote_decimals: 0,
  output_format_json_quote_denormals: 1,
  output_format_json_named_tuples_as_objects: 1,
  output_format_json_escape_forward_slashes: 0,
};

/** Sends statements to a ClickHouse server by HTTP, each on a connection of its own. */
export class ClickHouseTransport {
  private constructor(
    private readonly driver: ClickHouseClient,
    private readonly database: string,
  ) {}

  /** @throws DriverNotInstalledError */
  static async open({ dsn, options, egress }: ClientConfig, reached?: Reached): Promise<ClickHouseTransport> {
    const { createClient, ClickHouseLogLevel } = await loadDriver('clickhouse', '@clickhouse/client', () => import('@clickhouse/client'));
    const { host, port, user, password, database, parameters } = knownDsn(dsn, clickHouseDsn);
    const mode = options.ssl_mode ?? parameters.sslmode ?? 'verify-full';
    const tls = mode === 'disable' ? 'off' : mode === 'verify-full' ? 'verify' : 'encrypt';
    const driver = createClient({
      url: `${tls === 'off' ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`,
      username: user,
      password,
      application: 'graph-service',
      request_timeout: longestTimerMs,
      http_agent: checkedAgent({ egress, port, tls, connectMs: options.connect_timeout_ms ?? connectMs, ...(reached && { reached }) }),
      keep_alive: { enabled: false },
      log: { level: ClickHouseLogLevel.OFF },
    });
    return new ClickHouseTransport(driver, database);
  }

  /**
   * Sends a statement. @returns its rows as bytes; destroying the stream ends the statement
   * @throws ServerError, NoClickHouseError, WarehouseTimeoutError, errors of the network
   */
  async send(
    { sql, parameters = {}, settings = {}, timeoutMs, graceMs = usualGraceMs, withHeader = false }: Statement,
    signal?: AbortSignal,
  ): Promise<Readable> {
    // This mark ends a complete answer. No value can hold a backslash followed by a dot, since the rows escape backslashes.
    const mark = `\\.${randomBytes(12).toString('hex')}\n`;
    const cut = new AbortController();
    let isLate = false;
    const watch = setTimeout(() => {
      isLate = true;
      cut.abort();
    }, Math.min(timeoutMs + graceMs, longestTimerMs)); // prettier-ignore
    const late = (cause: unknown): unknown => (isLate ? new WarehouseTimeoutError(timeoutMs, cause) : cause);
    const request = toRequestBody(sql, parameters);
    try {
      signal?.throwIfAborted();
      const onAbort = (): void => cut.abort();
      signal?.addEventListener('abort', onAbort, { once: true });
      const { stream, response_headers, http_status_code } = await this.driver
        .exec({
          query: request.body,
          query_params: request.parameters,
          http_headers: request.headers,
          clickhouse_settings: {
            ...reading,
            ...texts,
            default_format: `CustomSeparated${withHeader ? 'WithNamesAndTypes' : ''}`,
            format_custom_result_after_delimiter: mark,
            max_execution_time: timeoutMs / 1000,
            ...settings,
            // The driver does not send the database name `default`, though the user's own default database may be another.
            database: this.database,
          },
          abort_signal: cut.signal,
          decompress_response_stream: false,
          ignore_error_response: true,
        })
        .finally(() => signal?.removeEventListener('abort', onAbort));
      const rows = new WholeAnswer(mark);
      cut.signal.addEventListener('abort', () => stream.destroy(late(new Error('Cut')) as Error), { once: true });
      rows.once('close', () => clearTimeout(watch));
      if (http_status_code === 200 && response_headers['x-clickhouse-exception-code'] === undefined) {
        if (response_headers['x-clickhouse-query-id'] !== undefined) return pipeline(stream, rows, () => undefined);
        stream.destroy();
        throw new NoClickHouseError('The answer has no query id');
      }
      throw await failureOf(stream, response_headers['x-clickhouse-exception-code']);
    } catch (cause) {
      clearTimeout(watch);
      throw signal?.aborted ? signal.reason : late(cause);
    }
  }

  close(): Promise<void> {
    return this.driver.close();
  }
}

/** Reads the error from an answer that has no rows. */
async function failureOf(stream: Readable, code: string | string[] | undefined): Promise<Error> {
  let text = '';
  for await (const chunk of stream) {
    text += String(chunk);
    if (text.length > errorBytes) break;
  }
  if (code !== undefined) return new ServerError(Number(code), text);
  return serverErrorIn(text) ?? new NoClickHouseError('The answer is not an error of ClickHouse');
}
