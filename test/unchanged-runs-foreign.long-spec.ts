import './unchanged-runs-foreign.e2e-spec.js';
