/**
 * Connections to the servers of an instance, over which a session's requests travel. All objects of
 * one session run on one event loop, so this package needs no locks.
 */
@NullMarked
package io.ensemble.zoofence.link;

import org.jspecify.annotations.NullMarked;
