import './prepare-database.spec.js';
