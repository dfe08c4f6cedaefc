import './stubs-random.e2e-spec.js';
