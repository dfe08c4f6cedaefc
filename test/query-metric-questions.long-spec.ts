import './query-metric-questions.e2e-spec.js';
