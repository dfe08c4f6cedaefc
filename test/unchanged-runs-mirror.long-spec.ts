import './unchanged-runs-mirror.e2e-spec.js';
