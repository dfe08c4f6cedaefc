/** The SQLSTATEs on which the service acts, by their names in PostgreSQL 18, appendix A. */
export const sqlstates = {
  invalidCatalogName: '3D000',
  invalidPassword: '28P01',
  invalidAuthorization: '28000',
  divisionByZero: '22012',
  dataException: '22000',
  numericOutOfRange: '22003',
  invalidText: '22P02',
  invalidDatetime: '22007',
  datetimeOverflow: '22008',
  cardinalityViolation: '21000',
  restrictViolation: '23001',
  notNullViolation: '23502',
  foreignKeyViolation: '23503',
  uniqueViolation: '23505',
  readOnlyTransaction: '25006',
  serializationFailure: '40001',
  deadlockDetected: '40P01',
  insufficientPrivilege: '42501',
  syntaxError: '42601',
  undefinedColumn: '42703',
  undefinedObject: '42704',
  ambiguousFunction: '42725',
  datatypeMismatch: '42804',
  cannotCoerce: '42846',
  undefinedFunction: '42883',
  undefinedTable: '42P01',
  wrongObjectType: '42809',
  duplicateTable: '42P07',
  indeterminateDatatype: '42P18',
  diskFull: '53100',
  outOfMemory: '53200',
  configurationLimitExceeded: '53400',
  programLimitExceeded: '54000',
  tooManyColumns: '54011',
  lockNotAvailable: '55P03',
  queryCanceled: '57014',
  cannotConnectNow: '57P03',
  internalError: 'XX000',
  dataCorrupted: 'XX001',
} as const;

/** The SQLSTATE of an error; '' for an error that does not come from the database. */
export function sqlstateOf(error: unknown): string {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  // Codes of the operating system, such as EPERM, hold no digit.
  return typeof code === 'string' && /^(?=.*\d)[0-9A-Z]{5}$/.test(code) ? code : '';
}
