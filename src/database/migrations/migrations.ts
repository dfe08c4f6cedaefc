import { CreateSchema1700000000001 } from './0001-create-schema.js';

/** All migrations, oldest first. */
export const migrations = [CreateSchema1700000000001];
