/**
 * The Java client: ZooKeeper's own client, whose frames go to a session in the same process instead
 * of a server.
 */
@NullMarked
package io.ensemble.zoofence.client;

import org.jspecify.annotations.NullMarked;
