import './limits-clients.e2e-spec.js';
