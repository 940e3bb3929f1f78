/**
 * The history of one key, as a sequential object: which versions it has, where their values are,
 * and what is to be moved out of its entry. Pure: no store, thread or clock. An atomic object of
 * it, and entries that never change, make a versioned key (D2.6, appendix A, section V.C, with
 * baseline, tree and sharded tree as three settings of one structure).
 */
@NullMarked
package io.ensemble.versioning.history;

import org.jspecify.annotations.NullMarked;
