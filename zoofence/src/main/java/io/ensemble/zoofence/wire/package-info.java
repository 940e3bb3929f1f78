/**
 * ZooKeeper's wire protocol: frames with a request or a reply, and the changes that they need
 * between a client and an instance. The records are ZooKeeper's own.
 */
@NullMarked
package io.ensemble.zoofence.wire;

import org.jspecify.annotations.NullMarked;
