import './watches.e2e-spec.js';
