import './uploads.e2e-spec.js';
