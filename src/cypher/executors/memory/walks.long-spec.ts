import './walks.spec.js';
