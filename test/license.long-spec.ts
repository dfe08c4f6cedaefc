import './license.e2e-spec.js';
