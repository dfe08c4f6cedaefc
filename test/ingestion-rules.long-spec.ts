import './ingestion-rules.e2e-spec.js';
