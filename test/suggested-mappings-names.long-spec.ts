import './suggested-mappings-names.e2e-spec.js';
