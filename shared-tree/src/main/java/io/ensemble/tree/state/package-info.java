/**
 * What a shared tree decides, without effects: the pages that hold the nodes, the changes of a
 * transaction above them, and the sequencer that orders transactions and finds conflicts.
 */
@NullMarked
package io.ensemble.tree.state;

import org.jspecify.annotations.NullMarked;
