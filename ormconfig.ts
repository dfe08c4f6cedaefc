import 'reflect-metadata';
import { DataSource } from 'typeorm';
import { migrations } from './src/database/migrations/migrations.js';

/** For the TypeORM command line: `npx typeorm migration:show -d dist/ormconfig.js` with DATABASE_URL set. */
export default new DataSource({ type: 'postgres', url: process.env.DATABASE_URL, migrations });
