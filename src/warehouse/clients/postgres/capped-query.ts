import pg, { type PoolClient } from 'pg';
import { RowDocuments } from '../read-document.js';
import { type QueryResult } from '../warehouse.client.js';
import { parserOf, typeNameOf } from './wire-types.js';

/** The parts of node-postgres' Query and Connection that the typings leave out. */
interface WireConnection {
  stream: { destroy(error: Error): void };
  execute(message: { portal: string; rows: number }): void;
  sync(): void;
}
interface RowHandler {
  handleDataRow(message: unknown): void;
}
interface WireQuery {
  portal: string;
}

/**
 * A statement in the extended protocol for which the server sends at most `maxRows + 1` rows. The portal is executed once with a row limit
 * and never resumed, so a result of a billion rows costs no more than the rows that are kept.
 */
export class CappedQuery extends pg.Query {
  private connection: WireConnection | null = null;
  private received = 0;

  private constructor(
    sql: string,
    parameters: readonly unknown[],
    private readonly cap: number,
    private readonly documents: RowDocuments,
    done: (error: Error | null, result: pg.QueryArrayResult) => void,
  ) {
    const config = {
      text: sql,
      values: [...parameters],
      rowMode: 'array',
      queryMode: 'extended',
      types: { getTypeParser: (oid: number) => parserOf(oid, documents) },
      callback: done,
    };
    super(config);
  }

  static async run(client: PoolClient, sql: string, parameters: readonly unknown[], maxRows: number): Promise<Omit<QueryResult, 'bytes'>> {
    const result = await new Promise<pg.QueryArrayResult>((resolve, reject) => {
      client.query(
        new CappedQuery(sql, parameters, maxRows + 1, new RowDocuments(), (error, found) => {
          if (error) reject(error);
          else resolve(found);
        }),
      );
    });
    return {
      columns: result.fields.map(field => ({ name: field.name, type: typeNameOf(field.dataTypeID) })),
      rows: result.rows.slice(0, maxRows),
      truncated: result.rows.length > maxRows,
    };
  }

  /** Called by node-postgres to fetch rows after the statement was described. */
  protected _getRows(connection: WireConnection): void {
    this.connection = connection;
    connection.execute({ portal: (this as unknown as WireQuery).portal, rows: this.cap });
    connection.sync();
  }

  /** Called by node-postgres for each row. A server that ignores the row limit is disconnected before its rows fill the memory. */
  protected handleDataRow(message: unknown): void {
    this.documents.nextRow();
    if (++this.received > this.cap) this.connection?.stream.destroy(new Error('The server sends more rows than asked for'));
    else (pg.Query.prototype as unknown as RowHandler).handleDataRow.call(this, message);
  }

  /** Called by node-postgres if there are more rows than `cap`. The sync in `_getRows` has already closed the portal. */
  protected handlePortalSuspended(): void {}
}
