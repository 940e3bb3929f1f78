/** Runs transactions, checkpoints and watches of a shared tree on a store of objects. */
@NullMarked
package io.ensemble.tree.runtime;

import org.jspecify.annotations.NullMarked;
