import './query-slow.e2e-spec.js';
