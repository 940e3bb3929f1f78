/**
 * Commands on paths that several instances hold: a queue of them for each set of instances, kept in
 * the administrative ensemble, and the executor that applies them at each instance of the set
 * (Algorithm 3 of the paper, with property P2).
 */
@NullMarked
package io.ensemble.zoofence.queue;

import org.jspecify.annotations.NullMarked;
