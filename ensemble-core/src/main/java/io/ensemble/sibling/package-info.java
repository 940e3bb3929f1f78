/**
 * Concurrent values of one key: siblings, each with the dot of its write, and a version vector of
 * all dots that were seen. The states form a join-semilattice. So sites that exchange their states
 * converge whatever the order, and no value is lost unless a later write has seen it. Pure: the
 * caller passes in stamps, and values are of any type.
 */
@NullMarked
package io.ensemble.sibling;

import org.jspecify.annotations.NullMarked;
