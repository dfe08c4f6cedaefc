import './unchanged-runs-random.e2e-spec.js';
