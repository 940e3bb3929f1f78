/**
 * Commands on paths that several instances hold. Each set of instances has a queue of commands in
 * the administrative ensemble. The executor applies the commands at each instance of the set
 * (Algorithm 3 of the paper, with property P2).
 */
@NullMarked
package io.ensemble.zoofence.queue;

import org.jspecify.annotations.NullMarked;
