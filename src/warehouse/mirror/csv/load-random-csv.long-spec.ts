import './load-random-csv.spec.js';
