/**
 * The history of one key, as a sequential object: its versions, the locations of their values, and
 * the parts to be moved out of its entry. Pure: no store, thread or clock. A versioned key consists
 * of an atomic object with such a history, and of immutable entries. This is D2.6, appendix A,
 * section V.C, with baseline, tree and sharded tree as three settings of one structure.
 */
@NullMarked
package io.ensemble.versioning.history;

import org.jspecify.annotations.NullMarked;
