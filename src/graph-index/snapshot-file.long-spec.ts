import './snapshot-file.spec.js';
