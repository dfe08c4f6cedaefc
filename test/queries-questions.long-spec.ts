import './queries-questions.e2e-spec.js';
