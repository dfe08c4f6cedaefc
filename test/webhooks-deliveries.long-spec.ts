import './webhooks-deliveries.e2e-spec.js';
