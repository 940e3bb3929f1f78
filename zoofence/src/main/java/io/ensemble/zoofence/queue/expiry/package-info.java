/**
 * One executor removes the ephemeral znodes of ended sessions, empty containers, and znodes whose
 * time to live has passed.
 */
@NullMarked
package io.ensemble.zoofence.queue.expiry;

import org.jspecify.annotations.NullMarked;
