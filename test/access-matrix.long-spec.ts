import './access-matrix.e2e-spec.js';
