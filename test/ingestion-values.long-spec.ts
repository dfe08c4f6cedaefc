import './ingestion-values.e2e-spec.js';
