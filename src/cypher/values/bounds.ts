/** The largest text, list or map that an expression may build, in bytes as PostgreSQL holds it. */
export const maxValueBytes = 1_048_576;

/** The most that `collect` may gather over all groups of one query, in bytes; an entry costs 32 of them besides its value. */
export const maxCollectedBytes = 67_108_864;

export const bytesOfCollectedItem = 32;
