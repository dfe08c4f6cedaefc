import './binding-suggestions.e2e-spec.js';
