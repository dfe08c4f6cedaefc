import './mapping-schema.spec.js';
