import './query-bounds.e2e-spec.js';
