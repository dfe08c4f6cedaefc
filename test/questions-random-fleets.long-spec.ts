import './questions-random-fleets.e2e-spec.js';
