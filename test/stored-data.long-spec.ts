import './stored-data.e2e-spec.js';
