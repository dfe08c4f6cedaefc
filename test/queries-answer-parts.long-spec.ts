import './queries-answer-parts.e2e-spec.js';
