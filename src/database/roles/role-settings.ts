import { type Role } from './database-access.js';

/** Sessions that run what users write: one of them may sort and join with a gigabyte of disk, and each step with 8 MB of memory. */
const userWork = { temp_file_limit: '1GB', work_mem: '8MB' };

/**
 * What each session of a role starts with. A list is written as names, anything else as one value. A setting that only a superuser
 * may give (`temp_file_limit`) takes effect on the embedded server; elsewhere the start says what is missing.
 */
export const roleSettings: Record<Role, Record<string, string | readonly string[]>> = {
  // pg_temp last: a temporary table must not stand in for a table of the service.
  records: { search_path: ['public', 'pg_temp'] },
  retrieval: { search_path: ['public', 'pg_temp'], default_transaction_read_only: 'on', ...userWork },
  mirror: { search_path: ['pg_catalog', 'mirror', 'pg_temp'], default_transaction_read_only: 'on', ...userWork },
};
