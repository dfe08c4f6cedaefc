/*
 * Parts of openCypher that the parser recognises and refuses, each with an example query. The parser uses the keywords. The reference page
 * shows the keywords and the queries.
 */

/** Clauses that write, or call a procedure. */
export const writingClauses = {
  CREATE: 'CREATE (c:Customer)',
  MERGE: 'MERGE (c:Customer)',
  SET: 'MATCH (c:Customer) SET c.国家 = 1',
  DELETE: 'MATCH (c:Customer) DELETE c',
  DETACH: 'MATCH (c:Customer) DETACH DELETE c',
  REMOVE: 'MATCH (c:Customer) REMOVE c.国家',
  DROP: 'DROP INDEX customers',
  ALTER: 'ALTER USER someone SET STATUS ACTIVE',
  LOAD: `LOAD CSV FROM 'customers.csv' AS row RETURN row`,
  FOREACH: 'MATCH (c:Customer) FOREACH (x IN [1] | SET c.国家 = x)',
  CALL: 'CALL db.labels()',
  GRANT: 'GRANT ROLE reader TO someone',
  REVOKE: 'REVOKE ROLE reader FROM someone',
  DENY: 'DENY READ {*} ON GRAPH * TO reader',
} as const;

/** Reading clauses that are not supported. */
export const unbuiltReads = {
  USE: 'USE other MATCH (c:Customer) RETURN c',
  EXPLAIN: 'EXPLAIN MATCH (c:Customer) RETURN c',
  PROFILE: 'PROFILE MATCH (c:Customer) RETURN c',
  SHOW: 'SHOW FUNCTIONS',
  START: 'START n = node(1) RETURN n',
  FINISH: 'MATCH (c:Customer) FINISH',
} as const;
