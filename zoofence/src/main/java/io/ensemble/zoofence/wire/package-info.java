/**
 * ZooKeeper's protocol as it stands on the wire: frames with a request or a reply, and what has to
 * be changed in them on their way between a client and an instance. Records are ZooKeeper's own.
 */
@NullMarked
package io.ensemble.zoofence.wire;

import org.jspecify.annotations.NullMarked;
