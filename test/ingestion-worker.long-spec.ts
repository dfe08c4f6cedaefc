import './ingestion-worker.e2e-spec.js';
