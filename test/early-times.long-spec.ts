import './early-times.e2e-spec.js';
