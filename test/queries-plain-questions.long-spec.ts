import './queries-plain-questions.e2e-spec.js';
