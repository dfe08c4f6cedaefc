import './third-party-suites.e2e-spec.js';
