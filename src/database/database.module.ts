import { type DynamicModule, Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ServicePool, type ServicePoolOptions } from './service-pool.js';

/** The service's own database: TypeORM for records, `ServicePool` for SQL that is written by hand. */
@Global()
@Module({})
export class DatabaseModule {
  static with({ url, size }: ServicePoolOptions): DynamicModule {
    const entityPoolSize = Math.max(2, Math.floor(size / 2));
    return {
      module: DatabaseModule,
      imports: [
        TypeOrmModule.forRoot({
          type: 'postgres',
          url,
          autoLoadEntities: true,
          installExtensions: false,
          uuidExtension: 'pgcrypto',
          poolSize: entityPoolSize,
          connectTimeoutMS: 5_000,
          extra: { statement_timeout: 30_000, lock_timeout: 10_000, keepAlive: true },
        }),
      ],
      providers: [{ provide: ServicePool, useFactory: () => new ServicePool({ url, size: size - entityPoolSize }) }],
      exports: [ServicePool],
    };
  }
}
