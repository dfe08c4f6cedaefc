import './load-ndjson.spec.js';
