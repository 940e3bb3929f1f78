/**
 * An elected executor removes the ephemeral znodes of ended sessions, empty containers, and expired
 * znodes.
 */
@NullMarked
package io.ensemble.zoofence.queue.expiry;

import org.jspecify.annotations.NullMarked;
