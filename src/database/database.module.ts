import { type DynamicModule, Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { type Logger } from 'pino';
import { logToken } from '../common/logging/log.js';
import { DatabaseLink } from './database-link.js';
import { DiskReserve } from './disk-reserve.js';
import { DatabaseAccess } from './roles/database-access.js';
import { OrmLog } from './orm-log.js';
import { Quotas } from './quotas.js';
import { ServicePool } from './service-pool.js';

export interface DatabaseOptions {
  access: DatabaseAccess;
  /** The number of connections of both pools together. */
  size: number;
  answerMaxBytes: number;
}

/**
 * Limits for records, which are read and written one at a time by their keys. The client gives up one second after the server should have.
 */
const recordTimes = { statement_timeout: 8_000, query_timeout: 9_000, lock_timeout: 5_000 };
const slowMs = 1_000;

/** The service's own database: TypeORM for records, `ServicePool` for hand-written SQL. */
@Global()
@Module({})
export class DatabaseModule {
  static with({ access, size, answerMaxBytes }: DatabaseOptions): DynamicModule {
    const recordPoolSize = Math.max(2, Math.floor(size / 2));
    return {
      module: DatabaseModule,
      imports: [
        TypeOrmModule.forRootAsync({
          inject: [DatabaseLink, logToken],
          useFactory: (link: DatabaseLink, log: Logger) => ({
            type: 'postgres',
            url: access.records,
            driver: link.driver('records'),
            autoLoadEntities: true,
            installExtensions: false,
            uuidExtension: 'pgcrypto',
            extra: { ...link.poolConfig('records', recordTimes), max: recordPoolSize },
            poolErrorHandler: () => undefined,
            logger: new OrmLog(log),
            maxQueryExecutionTime: slowMs,
          }),
        }),
      ],
      providers: [
        { provide: DatabaseLink, inject: [logToken], useFactory: (log: Logger) => new DatabaseLink({ url: access.records, log }) },
        { provide: DatabaseAccess, useValue: access },
        {
          provide: ServicePool,
          inject: [DatabaseLink],
          useFactory: (link: DatabaseLink) => new ServicePool(link, { size: size - recordPoolSize, answerMaxBytes }),
        },
        DiskReserve,
        Quotas,
      ],
      exports: [DatabaseAccess, DatabaseLink, DiskReserve, Quotas, ServicePool],
    };
  }
}
