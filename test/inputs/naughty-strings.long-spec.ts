import './naughty-strings.e2e-spec.js';
