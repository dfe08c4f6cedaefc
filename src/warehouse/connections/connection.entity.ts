import { type ConnectionOptions } from '../clients/warehouse-kind.js';
import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** The name of each connection type in the API. `warehouse-kinds.ts` lists the types that are implemented. */
export const connectionTypes = ['pg_mirror', 'postgres', 'mysql', 'clickhouse', 'duckdb', 'trino', 'snowflake', 'bigquery'] as const;

export type ConnectionType = (typeof connectionTypes)[number];

@Entity('warehouse_connections')
export class Connection {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('text')
  name: string;

  @Column('text')
  type: ConnectionType;

  /** The encrypted DSN. Null for the mirror, which is in the service's own database. */
  @Column('text', { name: 'dsn_sealed', nullable: true })
  dsnSealed: string | null;

  /** The DSN without secrets, as answers show it; null for the mirror. */
  @Column('text', { name: 'dsn_masked', nullable: true })
  dsnMasked: string | null;

  @Column('jsonb', { default: {} })
  options: ConnectionOptions;

  @Column('boolean', { name: 'is_default', default: false })
  isDefault: boolean;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
