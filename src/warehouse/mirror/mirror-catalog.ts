import { Injectable } from '@nestjs/common';
import { ServicePool } from '../../database/service-pool.js';
import { PostgresCatalog, readOn } from '../clients/postgres/postgres-catalog.js';
import { TableNames } from '../clients/postgres/table-names.js';
import { mirrorSchema } from './mirror-schema.js';

/** A name in the mirror is never taken apart, so it may have a dot. */
export const mirrorNames = new TableNames([mirrorSchema], true);

/** The tables of the mirror, read from PostgreSQL's catalogue as the service. */
@Injectable()
export class MirrorCatalog extends PostgresCatalog {
  constructor(pool: ServicePool) {
    super(readOn(pool), mirrorNames);
  }
}
