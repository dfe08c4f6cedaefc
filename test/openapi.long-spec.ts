import './openapi.e2e-spec.js';
