import './references-random.e2e-spec.js';
