import './golden-metrics.e2e-spec.js';
