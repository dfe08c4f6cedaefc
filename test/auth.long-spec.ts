import './auth.e2e-spec.js';
