import './bodies.e2e-spec.js';
