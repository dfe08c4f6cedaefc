import { availableParallelism } from 'node:os';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Settings } from '../../config/settings.js';
import { DatabaseLink } from '../../database/database-link.js';
import { DiskReserve } from '../../database/disk-reserve.js';
import { DatabaseAccess } from '../../database/roles/database-access.js';
import { type WatchedPool } from '../../database/watched-pool.js';
import { PostgresTables } from '../clients/postgres/postgres-tables.js';
import { toReadError } from '../clients/postgres/read-errors.js';
import { type WarehouseClient } from '../clients/warehouse.client.js';
import { type NameProblem } from '../files/name-problem.js';
import { tableNameProblem } from '../files/csv-header.js';
import { MirrorCatalog, mirrorNames } from './mirror-catalog.js';

const placesOfShortReads = 4;
/**
 * How many readings (`openReading`) of the mirror may be open at once. Only exports open them: a run reads mirror tables with SQL of its
 * own.
 */
const placesOfReadings = 2;

/**
 * The number of metrics and lookups that read at once. With the embedded server each of them keeps a core of this machine busy, so more
 * than two for each core would leave no CPU time for logins.
 */
export function readsAtOnce({ databaseUrl, warehousePoolSize }: Settings): number {
  return databaseUrl === undefined ? Math.min(warehousePoolSize, Math.max(4, 2 * availableParallelism())) : warehousePoolSize;
}

/**
 * The tables of the schema `mirror` in the service's own database. SQL of users runs with a database login that may only read these tables.
 * The client has a pool of its own, so that a slow metric cannot take the connections that logins need.
 */
@Injectable()
export class MirrorClient extends PostgresTables implements WarehouseClient, OnApplicationShutdown {
  readonly local: { role: string };
  private readonly pool: WatchedPool;

  constructor(link: DatabaseLink, access: DatabaseAccess, settings: Settings, catalog: MirrorCatalog, disk: DiskReserve) {
    const places = { queries: readsAtOnce(settings), shortQueries: placesOfShortReads, readings: placesOfReadings };
    const pool = link.open('mirror reader', {
      connectionString: access.mirror,
      max: places.queries + places.shortQueries + places.readings,
      connectionTimeoutMillis: 8_000,
      idle_in_transaction_session_timeout: 60_000,
    });
    super({
      pool,
      places,
      names: mirrorNames,
      catalog,
      maxBytes: settings.answerMaxBytes,
      computesExports: true,
      disk,
      toConnectError: cause => toReadError(cause, 0),
    });
    this.pool = pool;
    this.local = { role: access.nameOf('mirror') };
  }

  nameProblem(table: string): NameProblem | null {
    return tableNameProblem(table);
  }

  /** Does nothing: the mirror stays open when a connection of the type pg_mirror is closed. */
  async close(): Promise<void> {}

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}
