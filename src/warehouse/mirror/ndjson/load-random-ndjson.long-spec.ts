import './load-random-ndjson.spec.js';
