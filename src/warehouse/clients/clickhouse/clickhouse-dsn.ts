import { type DsnForm } from '../dsn.js';

/** HTTPS on port 8443, or with `sslmode=disable` HTTP, mostly on port 8123. */
export const clickHouseDsn: DsnForm = {
  schemes: ['clickhouse'],
  defaultPort: 8443,
  parameters: { sslmode: /^(disable|prefer|require|verify-full)$/ },
};
