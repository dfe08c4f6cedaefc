import './queries-stored-answers.e2e-spec.js';
