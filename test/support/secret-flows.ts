/**
 * The answers to the requests of the flows in `test/secrets.e2e-spec.ts`, in order. A flow that no longer reaches its target would
 * look for leaks where there are none. `…` stands for a secret or a query string; 0 is no answer.
 */
export const secretFlows = `
200 POST /api/auth/login
200 PUT /api/auth/password
422 PUT /api/auth/password
422 PUT /api/auth/password
400 PUT /api/auth/password
401 POST /api/auth/login
401 POST /api/auth/login
401 POST /api/auth/login
201 POST /api/auth/register
400 POST /api/auth/register
422 POST /api/auth/register
201 POST /api/users
200 POST /api/users/3/reset-password
200 POST /api/auth/login
400 POST /api/auth/login
400 POST /api/auth/login
422 POST /api/auth/login
422 POST /api/auth/login
415 POST /api/auth/login
415 POST /api/auth/login
413 POST /api/auth/login
400 POST /api/auth/login
0 raw bytes
400 raw bytes
400 raw bytes
405 raw bytes
431 raw bytes
401 GET /api/auth/me
401 GET /api/auth/me
401 GET /api/auth/me
401 GET /api/auth/me
401 GET /api/auth/me
401 GET /api/auth/me?…
422 GET /api/graphs?…
422 GET /api/graphs?…
404 GET /api/reset/…
422 GET /api/graphs/…
400 GET /api/graphs/%FF…
200 GET /api/settings
201 POST /api/graphs
201 POST /api/api-keys
200 GET /api/graphs/1
401 GET /api/graphs/1
403 GET /api/users
401 GET /api/graphs/1
200 GET /api/api-keys
200 POST /api/api-keys/1/rotate
200 GET /api/graphs/1
200 GET /api/api-keys
204 DELETE /api/api-keys/1
401 GET /api/graphs/1
422 POST /api/warehouse/connections
422 POST /api/warehouse/connections
422 POST /api/warehouse/connections
422 POST /api/warehouse/connections
201 PUT /api/warehouse/connections/1/tables/staff
422 PUT /api/warehouse/connections/1/tables/typed?…
422 PUT /api/warehouse/connections/1/tables/broken
422 PUT /api/warehouse/connections/1/tables/short
422 POST /api/ingestion/jobs
422 POST /api/ingestion/jobs
201 POST /api/ingestion/jobs
200 POST /api/ingestion/jobs/1/run
201 POST /api/ingestion/jobs
200 POST /api/ingestion/jobs/2/run
201 POST /api/metrics
400 POST /api/metrics/1/execute
400 POST /api/metrics/1/execute
400 POST /api/metrics/1/execute
200 POST /api/metrics/1/execute
200 POST /api/graphs/1/query
200 POST /api/graphs/1/query
400 POST /api/graphs/1/query
200 POST /api/graphs/1/query
500 POST /api/auth/login
500 POST /api/auth/register
500 POST /api/auth/register
500 POST /api/api-keys
200 POST /api/auth/login
204 POST /api/auth/logout
`
  .trim()
  .split('\n');
