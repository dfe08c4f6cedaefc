import './value-size.spec.js';
