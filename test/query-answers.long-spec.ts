import './query-answers.e2e-spec.js';
