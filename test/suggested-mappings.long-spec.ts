import './suggested-mappings.e2e-spec.js';
