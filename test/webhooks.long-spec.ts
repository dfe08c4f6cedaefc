import './webhooks.e2e-spec.js';
