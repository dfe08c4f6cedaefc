import './language-model.e2e-spec.js';
