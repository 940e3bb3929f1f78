/**
 * The face for Java: ZooKeeper's own client, whose frames go to a session in the same process
 * instead of to a server.
 */
@NullMarked
package io.ensemble.zoofence.client;

import org.jspecify.annotations.NullMarked;
