/**
 * Real sites inside one JVM. Each site is an Infinispan cluster of its own whose nodes serve Hot
 * Rod on real sockets of the loopback interface. So a test, a demonstration or a workshop needs no
 * installed server. Sites and nodes can be killed and restarted empty on the same ports; their
 * links to clients can be slowed, silenced or cut. Caches are not predefined: clients create them
 * through the Hot Rod administration interface, as they would against a stock server.
 */
@NullMarked
package io.ensemble.testkit.embedded;

import org.jspecify.annotations.NullMarked;
