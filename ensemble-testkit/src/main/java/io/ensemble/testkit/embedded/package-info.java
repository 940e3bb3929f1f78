/**
 * Real sites inside one JVM: each site is an Infinispan cluster of its own whose nodes answer over
 * real Hot Rod sockets on the loopback interface, so that a test, a demonstration or a workshop
 * needs no server installed. Sites and nodes can be killed, restarted empty on the same ports, and
 * have the wire to their clients slowed, silenced or cut. Caches are not predefined: clients create
 * them through the Hot Rod administration interface, as they would against a stock server.
 */
@NullMarked
package io.ensemble.testkit.embedded;

import org.jspecify.annotations.NullMarked;
