import './query-events.e2e-spec.js';
