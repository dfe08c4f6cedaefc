import './load-csv.spec.js';
