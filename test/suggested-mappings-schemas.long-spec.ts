import './suggested-mappings-schemas.e2e-spec.js';
