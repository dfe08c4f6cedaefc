import './query-held-versions.e2e-spec.js';
