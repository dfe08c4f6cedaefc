import './schedules.e2e-spec.js';
