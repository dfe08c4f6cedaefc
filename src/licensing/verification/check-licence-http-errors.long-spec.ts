import './check-licence-http-errors.spec.js';
