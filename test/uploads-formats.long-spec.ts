import './uploads-formats.e2e-spec.js';
