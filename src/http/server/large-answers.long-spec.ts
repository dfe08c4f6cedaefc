import './large-answers.spec.js';
