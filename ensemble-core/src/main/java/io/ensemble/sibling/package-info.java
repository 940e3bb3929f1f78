/**
 * Concurrent values of one key: siblings, each with the dot of the write that made it, and a
 * version vector of all dots that were seen. A join-semilattice, so that sites that exchange what
 * they have become equal whatever the order, and no value goes that no later write has seen. Pure:
 * stamps are handed in, values are anything.
 */
@NullMarked
package io.ensemble.sibling;

import org.jspecify.annotations.NullMarked;
