import { type Role } from './database-access.js';

/** For sessions that run SQL of users: one of them may sort and join with a gigabyte of disk, and each step with 8 MB of memory. */
const userWork = { temp_file_limit: '1GB', work_mem: '8MB' };

/**
 * The settings that each session of a role starts with. A list is written as names, anything else as one value. Only a superuser
 * may set `temp_file_limit`, so it takes effect on the embedded server; elsewhere the start reports that it is missing.
 */
export const roleSettings: Record<Role, Record<string, string | readonly string[]>> = {
  // pg_temp comes last, so that a temporary table cannot stand in for a table of the service.
  records: { search_path: ['public', 'pg_temp'] },
  retrieval: { search_path: ['public', 'pg_temp'], default_transaction_read_only: 'on', ...userWork },
  mirror: { search_path: ['pg_catalog', 'mirror', 'pg_temp'], default_transaction_read_only: 'on', ...userWork },
};
