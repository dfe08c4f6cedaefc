import './embedded-postgres.spec.js';
