import './mirror-copies-tables.e2e-spec.js';
