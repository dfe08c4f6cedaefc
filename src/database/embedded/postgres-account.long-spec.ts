import './postgres-account.spec.js';
