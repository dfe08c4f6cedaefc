import './tck-ingested.e2e-spec.js';
