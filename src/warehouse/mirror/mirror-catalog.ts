import { Injectable } from '@nestjs/common';
import { ServicePool } from '../../database/service-pool.js';
import { PostgresCatalog, readOn } from '../clients/postgres/postgres-catalog.js';
import { TableNames } from '../clients/postgres/table-names.js';
import { mirrorSchema } from './mirror-schema.js';

/** The table names of the mirror. A name is never split at a dot, so it may have dots. */
export const mirrorNames = new TableNames([mirrorSchema], true);

/** The tables of the mirror, read from PostgreSQL's catalogue with the service's own database user. */
@Injectable()
export class MirrorCatalog extends PostgresCatalog {
  constructor(pool: ServicePool) {
    super(readOn(pool), mirrorNames);
  }
}
