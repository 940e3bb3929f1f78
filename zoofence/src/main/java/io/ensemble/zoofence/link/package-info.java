/**
 * Connections to the servers of an instance, over which a session's requests travel. Everything of
 * one session runs on one event loop, so nothing here takes a lock.
 */
@NullMarked
package io.ensemble.zoofence.link;

import org.jspecify.annotations.NullMarked;
