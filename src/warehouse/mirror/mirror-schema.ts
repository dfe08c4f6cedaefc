/** The schema of the tables that users load into the service's own database. */
export const mirrorSchema = 'mirror';
