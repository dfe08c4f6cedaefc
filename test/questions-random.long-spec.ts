import './questions-random.e2e-spec.js';
