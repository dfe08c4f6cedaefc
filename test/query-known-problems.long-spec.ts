import './query-known-problems.e2e-spec.js';
