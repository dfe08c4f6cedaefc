import './cron-times.spec.js';
