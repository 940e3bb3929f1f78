/**
 * A session holds one member session at each instance: the connection, its watches and guard, the
 * stored records, and the command mailbox.
 */
@NullMarked
package io.ensemble.zoofence.session.instance;

import org.jspecify.annotations.NullMarked;
