/** The longest text that an expression may build, in UTF-16 units. */
export const maxTextLength = 1_048_576;

/** The largest list or map that an expression may build, in bytes of memory: 131,070 integers. */
export const maxValueBytes = 4_194_304;

/** Maximum bytes of memory that one call of `collect` may gather over the rows of a group. */
export const maxCollectedBytes = 67_108_864;
