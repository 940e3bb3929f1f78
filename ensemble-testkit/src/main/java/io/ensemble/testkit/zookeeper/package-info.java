/**
 * A real ZooKeeper server in this JVM or in a process of its own, for catalogs of local federations
 * and for tests.
 */
@NullMarked
package io.ensemble.testkit.zookeeper;

import org.jspecify.annotations.NullMarked;
